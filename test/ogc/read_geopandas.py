"""Reads GeoParquet at URLs with geopandas, and prints what it has read as JSON."""
import io
import json
import sys
import urllib.request

import geopandas
import pandas


def fetch(url: str) -> io.BytesIO:
    with urllib.request.urlopen(url) as answer:
        return io.BytesIO(answer.read())


files = [fetch(url) for url in sys.argv[1:]]
tables = [geopandas.read_parquet(file) for file in files]
everything = pandas.concat(tables)
west, south, east, north = everything.total_bounds
middle = (west, south, (west + east) / 2, (south + north) / 2)
# By the column bbox, which GeoParquet 1.1 has for this and geopandas shows to nobody.
boxed = sum(len(geopandas.read_parquet(file, bbox=middle)) for file in files)
heights = everything["bldg:measuredHeight"]
print(
    json.dumps(
        {
            "count": len(everything),
            "crs": everything.crs.to_string(),
            "valid": int(everything.geometry.is_valid.sum()),
            "boxed": boxed,
            "tall": int((heights > 10).sum()),
        }
    )
)
