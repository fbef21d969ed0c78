"""Test the JSON of the evaluation: text that a terminal would act on is escaped."""

from __future__ import annotations

import json

from guard_core.output.schema import encode


def test_text_that_a_terminal_would_act_on_is_escaped_in_json() -> None:
    text = '\x1b[31m\x9b\u202e\u2028\ufeff\U000e0041\x7fé"\\'
    data = encode(text)
    assert json.loads(data) == text
    assert data == b'"\\u001b[31m\\u009b\\u202e\\u2028\\ufeff\\udb40\\udc41\\u007f' + "é".encode() + b'\\"\\\\"'
