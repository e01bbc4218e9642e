"""Reads the OGC API with owslib.

Usage: read_owslib.py ADDRESS COLLECTION. Prints one line of JSON.
"""
import json
import sys

from owslib.ogcapi.features import Features

address, collection = sys.argv[1:]
api = Features(address)
first = api.collection_items(collection, limit=5)
feature = first['features'][0]
box = [feature['properties'][f'_bbox.{end}.{axis}'] for end in ('min', 'max') for axis in ('lng', 'lat')]
print(json.dumps({
    'openapi': api.api()['openapi'],
    'classes': len(api.conformance()['conformsTo']),
    'collections': api.feature_collections(),
    'queryables': len(api.collection_queryables(collection)['properties']),
    'same': api.collection_item(collection, feature['id'])['properties'] == feature['properties'],
    'around': api.collection_items(collection, limit=5, bbox=box)['numberReturned'],
    'filtered': api.collection_items(collection, limit=5, filter=f"gml:id = '{feature['id']}'")['numberReturned'],
}))
