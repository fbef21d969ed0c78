"""What ``--help`` says after the options: examples and exit states.

Flows in: nothing.  Flows out: texts.
Rules kept here: help teaches by example, and every example can be run as it stands on files of those names.
Not here: the options (``cli_options.py``).
"""

from __future__ import annotations

EXIT = """exit status:
  0  done
  1  --gate and a retrieval halts, or --max-halt-share and a greater share halts
  2  nothing was judged: wrong usage or input that cannot be used; one line on standard error says which
  3  --strict and something was rejected or incomplete"""

MAIN = """examples:
  source-guard demo                                   the dashboard on a sample, invented for it
  source-guard serve log.jsonl --catalogue docs.csv   the dashboard on your log
  source-guard evaluate log.jsonl                     the verdicts on this terminal
  source-guard evaluate --help                        everything that evaluate can do

what if, and what next:
  source-guard quarantine log.jsonl --catalogue docs.csv --anchor page-7   without a source and its family
  source-guard leverage log.jsonl --catalogue docs.csv                     which documents to check first

to sign what you know about your documents, and judge by it:
  source-guard keygen --originator https://library.example --out keys/library
  source-guard attest documents.csv --key keys/library.pem --originator https://library.example \\
      --out signed.csv
  source-guard evaluate log.jsonl --catalogue signed.csv --trust keys/library.trust.json"""

EVALUATE = f"""examples:
  source-guard evaluate log.jsonl
      judge a log by its own labels: summary first, then what halts and what to do
  source-guard evaluate log.csv.gz --catalogue documents.csv --min-human-ratio 0.6
      with the curators' catalogue, and six human results in ten asked for
  source-guard evaluate log.jsonl --catalogue signed.csv --trust trust.json
      check the signed claims of log and catalogue, and judge by those that hold (preset strict)
  source-guard evaluate monday.jsonl tuesday.parquet --json > evaluation.json
      two files as one log; one JSON object with every retrieval, every result and a digest over them
  source-guard evaluate log.jsonl --policy policy.toml --gate
      in a pipeline: exit status 1 if any retrieval halts
  source-guard evaluate export.csv --map result_id=chunk --map query_id=session
      columns of other names

{EXIT}"""

_EXIT_WHATIF = """exit status:
  0  done
  2  nothing was judged: wrong usage or input that cannot be used; one line on standard error says which
  3  --strict and something was rejected or incomplete"""

QUARANTINE = f"""Judges the log twice, with and without the results that you name, and shows what changes. Results are
dropped from the lists; a real re-query would fill the places. Where a log is deeper than --top-k, they are
filled from below.

examples:
  source-guard quarantine log.jsonl --catalogue documents.csv --document ferry-summary-3
      what if this document had not been retrieved
  source-guard quarantine log.jsonl --catalogue documents.csv --anchor ferry-timetable
      the whole family: the source and everything that rests on it
  source-guard quarantine log.jsonl --generator small-model-1 --originator studio --csv > touched.csv
      a model and an originator together; every retrieval that loses a result, one a row
  source-guard quarantine log.jsonl --documents suspects.txt --top-k 5 --json
      ids from a file, one a line; the first five of what is left are judged

{_EXIT_WHATIF}"""

LEVERAGE = f"""A document is open where its class is not known, or where it does not pass the signature gate. A
retrieval is settled where no check of its open documents can change its verdict. Documents come first that,
checked alone, settle most retrievals whatever the check says.

examples:
  source-guard leverage log.jsonl --catalogue documents.csv
      the twenty documents most worth checking
  source-guard leverage log.jsonl --catalogue signed.csv --trust trust.json --limit 5
      under the preset strict: what is not verified is open
  source-guard leverage log.jsonl --waive-signatures --csv > worklist.csv
      as if every signature were there: which classes to find out

{_EXIT_WHATIF}"""

SERVE = """examples:
  source-guard serve                                       open the dashboard and load a log there
  source-guard serve log.jsonl --catalogue documents.csv   open it on a log
  source-guard serve log.jsonl --trust trust.json          check its claims
  source-guard serve log.jsonl --port 9000 --no-browser    on a port of your choice, without opening a browser"""

DEMO = """The sample is invented: a few hundred documents and about 400 retrievals over three months.

examples:
  source-guard demo
  source-guard demo --port 9000 --no-browser"""

KEYGEN = """Writes the private key for its owner only (mode 0600), and a trust store that holds its public half.
Prints the thumbprint, which is the name of the key (kid) in every claim. Nothing is written over.

examples:
  source-guard keygen --originator https://library.example --out keys/library
      keys/library.pem stays with you; keys/library.trust.json goes to whoever checks your claims
  source-guard keygen --originator https://library.example --alg ES256 --out keys/library-p256

exit status:
  0  done
  2  nothing was written; one line on standard error says why"""

ATTEST = """Each document whose class and depth the catalogue states gets a claim that says just that; a depth that only
follows from derived_from is not signed. Documents that get none are counted, with the reason. The same
catalogue, key and time give the same bytes.

examples:
  source-guard attest documents.csv --key keys/library.pem --originator https://library.example \\
      --out signed.csv
  source-guard attest documents.jsonl --key keys/library.pem --originator https://library.example \\
      --out signed.parquet --at 2026-11-30T12:00:00Z

exit status:
  0  done
  2  nothing was written; one line on standard error says why"""

VERIFY = """Writes a line for each claim on standard output: status, where it stands, document, and the reason in
words, with tabs between. A summary goes to standard error.

examples:
  source-guard verify log.jsonl --trust trust.json
      every claim of a log, against document and text; place is the retrieval
  source-guard verify claims.txt --trust trust.json --at 2026-11-30T12:00:00Z
      one claim a line; place is the line
  source-guard verify --catalogue signed.csv --trust trust.json
      the claims of a signed catalogue
  cut -f 3 export.tsv | source-guard verify - --trust trust.json
      claims, or a log, from standard input
  source-guard verify eyJhbGciOi... --trust trust.json --document almanac --text almanac.txt
      one claim, for this document and this text

exit status:
  0  every claim is VALID
  1  a claim is not, is missing, or stands in a row that could not be read
  2  nothing was checked: wrong usage or input that cannot be used; one line on standard error says which"""
