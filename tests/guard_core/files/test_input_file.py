"""Opening files: what is refused, what gzip may do, and the digest of what stands on disk."""

from __future__ import annotations

import gzip
import hashlib
import os
import threading
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guard_core.errors import LogError
from guard_core.files.input_file import escape_file_name, open_input
from guard_core.files.limits import Limits
from tests.support.packed_streams import PACK

EACH_PACKING = pytest.mark.parametrize("name", PACK)


def written(folder: Path, data: bytes, name: str = "log.jsonl") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def decoded(path: Path, limits: Limits | None = None, size: int = 1000) -> tuple[bytes, bool]:
    with open_input(path, limits) as source:
        return b"".join(source.chunks(size)), source.incomplete


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=4000).filter(lambda d: d[:2] not in (b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff")))
def test_plain_bytes_come_out_as_they_are(tmp_path: Path, data: bytes) -> None:
    data = b"text " + data
    path = written(tmp_path, data)
    for size in (1, 7, 100_000):
        assert decoded(path, size=size) == (data, False)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(sorted(PACK)),
    members=st.lists(st.binary(max_size=2000), min_size=1, max_size=5),
    padding=st.integers(0, 40),
    size=st.integers(1, 99),
)
def test_every_member_is_read(tmp_path: Path, name: str, members: list[bytes], padding: int, size: int) -> None:
    members = [b"text " + member for member in members]
    packed = b"".join(map(PACK[name], members)) + bytes(padding if name != "zstd" else 0)
    assert decoded(written(tmp_path, packed), size=size) == (b"".join(members), False)


@EACH_PACKING
def test_a_cut_stream_gives_what_is_whole_at_every_length(tmp_path: Path, name: str) -> None:
    text = b"".join(b"line %d\n" % number for number in range(300))
    first = PACK[name](text[:1500])
    packed = first + PACK[name](text[1500:])
    seen = set()
    for length in range(10, len(packed)):
        data, incomplete = decoded(written(tmp_path, packed[:length]))
        assert text.startswith(data)
        assert incomplete is not (length == len(first))
        if length >= len(first):
            assert len(data) >= 1500
        seen.add(len(data))
    assert max(seen) == (1500 if name == "zstd" else len(text))  # a small member of zstd is one block


def test_a_cut_zstd_stream_loses_no_block(tmp_path: Path) -> None:
    lines = b"".join(b"%x\n" % (number * 7919 % 104729) for number in range(200_000))
    packed = PACK["zstd"](lines)
    data, incomplete = decoded(written(tmp_path, packed[:-100]), size=1 << 20)
    assert incomplete
    assert lines.startswith(data)
    assert len(data) == len(lines) // 131072 * 131072  # all blocks but the last


@EACH_PACKING
def test_bytes_after_a_stream_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(LogError, match=f"bytes after its {name} stream that are not {name}"):
        decoded(written(tmp_path, PACK[name](b"text") + b"junk"))


@EACH_PACKING
def test_a_damaged_stream_is_refused(tmp_path: Path, name: str) -> None:
    packed = bytearray(PACK[name](os.urandom(4000)))
    packed[5 if name == "zstd" else 2000] ^= 255
    with pytest.raises(LogError, match=f"damaged {name} stream"):
        decoded(written(tmp_path, bytes(packed)))


@EACH_PACKING
@pytest.mark.parametrize("inner", PACK)
def test_one_compression_within_another_is_named(tmp_path: Path, name: str, inner: str) -> None:
    with pytest.raises(LogError, match=f"{inner} within {name}"):
        decoded(written(tmp_path, PACK[name](PACK[inner](b"text"))))


@EACH_PACKING
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=300))
def test_arbitrary_bytes_after_the_first_raise_only_our_error(tmp_path: Path, name: str, data: bytes) -> None:
    for start in (4, 10, 20):
        try:
            decoded(written(tmp_path, PACK[name](b"text" * 99)[:start] + data))
        except LogError as error:
            assert len(str(error).splitlines()) == 1  # noqa: PT017  # what is not raised is as good


@EACH_PACKING
def test_a_bomb_is_refused_in_little_memory(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, PACK[name](bytes(256 * 1024 * 1024)))
    assert path.stat().st_size < 300_000
    tracemalloc.start()
    with pytest.raises(LogError, match="200 times its size"):
        decoded(path, size=16 * 1024 * 1024)
    assert tracemalloc.get_traced_memory()[1] < 80 * 1024 * 1024
    tracemalloc.stop()


def test_the_ratio_and_the_decoded_bytes_can_be_set(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(b"a" * 3_000_000), "a.gz")
    assert len(decoded(path, Limits(gzip_ratio=2000))[0]) == 3_000_000
    with pytest.raises(LogError, match="more than 1000000 bytes"):
        decoded(path, Limits(gzip_ratio=2000, decoded_bytes=1_000_000))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("packed", [False, True])
def test_other_encodings_are_named(tmp_path: Path, encoding: str, packed: bool) -> None:
    data = 'query_id,doc_id\nq1,d1\n{"query_id": "q1"}\n'.encode(encoding)
    path = written(tmp_path, gzip.compress(data) if packed else data)
    with pytest.raises(LogError, match=encoding[:6].upper()):
        decoded(path)
    with open_input(path) as source, pytest.raises(LogError, match="write it as UTF-8"):
        source.head()


def test_one_byte_order_mark_is_taken_off(tmp_path: Path) -> None:
    assert decoded(written(tmp_path, b"\xef\xbb\xbf{}"))[0] == b"{}"
    assert decoded(written(tmp_path, gzip.compress(b"\xef\xbb\xbf{}")))[0] == b"{}"
    assert decoded(written(tmp_path, b"\xef\xbb\xbf\xef\xbb\xbf{}"))[0] == b"\xef\xbb\xbf{}"
    with open_input(written(tmp_path, b"\xef\xbb\xbfabcdef")) as source:
        assert source.head(4) == b"abcd"


def test_utf8_with_zeros_and_other_letters_is_not_taken_for_utf16(tmp_path: Path) -> None:
    for text in ("q1,\0\0\0\0", "äöü,ж,語", "a", ""):
        assert decoded(written(tmp_path, text.encode()))[0] == text.encode()


def test_only_regular_files(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, words in ((tmp_path, "directory"), (pipe, "regular file"), (Path("/dev/zero"), "regular file")):
        with pytest.raises(LogError, match=words):
            open_input(path)
    with pytest.raises(LogError, match="no such file"):
        open_input(tmp_path / "nothing")
    with pytest.raises(LogError, match="cannot be used"):
        open_input("a\0b")


def test_what_is_too_long_for_a_name_is_not_repeated() -> None:
    with pytest.raises(LogError, match="cannot be opened") as caught:
        open_input("A" * 5000)
    assert len(str(caught.value)) < 400


def test_a_file_that_the_system_cannot_read_costs_one_line() -> None:
    path = Path("/proc/self/mem")  # opens like a file, and nothing stands at its beginning
    if not path.exists():
        pytest.skip("only Linux shows a process's memory as a file")
    with pytest.raises(LogError, match=r"cannot be read beyond byte 0 \(.+\); copy it"):
        open_input(path)


def test_a_pipe_does_not_block_while_a_writer_is_there(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    handle = os.open(pipe, os.O_RDWR)
    try:
        with pytest.raises(LogError):
            open_input(pipe)
    finally:
        os.close(handle)


def test_a_link_to_a_file_is_a_file(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(written(tmp_path, b"{}"))
    assert decoded(link)[0] == b"{}"


@pytest.mark.parametrize(
    "data",
    [b"", b"{}\n", gzip.compress(b"text " * 1000), os.urandom(3_000_000)],
    ids=["empty", "text", "gzip", "random"],  # gzip writes the time: two workers would collect two different names
)
def test_the_digest_is_that_of_the_bytes_on_disk(tmp_path: Path, data: bytes) -> None:
    path = written(tmp_path, b"x" + data if data[:1] == b"\xff" else data)
    expected = hashlib.sha256(path.read_bytes()).hexdigest()
    with open_input(path) as source:
        list(source.chunks(100_000))
        assert source.sha256 == expected
    with open_input(path) as source:
        next(source.chunks(1000), None)
        assert source.sha256 == expected  # also when reading stopped early
    with open_input(path) as source:
        source.start_hashing()
        assert source.sha256 == expected
        assert source.sha256 == expected


def test_bytes_appended_while_reading_are_left_for_the_next_time(tmp_path: Path) -> None:
    path = written(tmp_path, b"first\n")
    with open_input(path) as source:
        with path.open("ab") as file:
            file.write(b"second\n")
        assert b"".join(source.chunks()) == b"first\n"
        assert source.sha256 == hashlib.sha256(b"first\n").hexdigest()
        with pytest.raises(LogError, match="changed while it was read"):
            source.check_unchanged()


def test_a_file_that_shrinks_is_incomplete(tmp_path: Path) -> None:
    path = written(tmp_path, b"0123456789")
    with open_input(path) as source:
        path.write_bytes(b"01")
        assert b"".join(source.chunks()) == b"01"
        assert source.incomplete


def test_progress_counts_bytes_on_disk(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(os.urandom(50_000)))
    calls: list[tuple[int, int]] = []
    with open_input(path, progress=lambda done, total: calls.append((done, total))) as source:
        source.head()
        assert not calls
        list(source.chunks(10_000))
    assert [done for done, _ in calls] == sorted({done for done, _ in calls})
    assert calls[-1] == (path.stat().st_size, path.stat().st_size)


def test_a_name_is_one_printable_line() -> None:
    assert escape_file_name("a\nb\x1b[0m\u202e.csv") == "a\\nb\\x1b[0m\\u202e.csv"
    assert escape_file_name("übung.csv") == "übung.csv"


def test_the_hashing_thread_ends(tmp_path: Path) -> None:
    path = written(tmp_path, b"{}")
    before = threading.active_count()
    for _ in range(5):
        decoded(path)
    assert threading.active_count() <= before
