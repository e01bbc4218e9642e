"""
Runs statements of DuckDB, a JSON array of texts on the standard input, with the extension httpfs. Prints the rows
of each as JSON. Needs no network: `pip install duckdb duckdb-extensions duckdb-extension-httpfs`, all of one version.
"""
import json
import sys

import duckdb
import duckdb_extension_httpfs  # noqa: F401: says what is missing
from duckdb_extensions import import_extension

db = duckdb.connect()
import_extension("httpfs", con=db)
db.execute("LOAD httpfs")
print(json.dumps([db.execute(text).fetchall() for text in json.load(sys.stdin)], default=str))
