"""Reads a collection with the OGC API – Features provider of QGIS: lists, counts, pages, and filters it.

Usage: read_oapif.py ADDRESS COLLECTION PROPERTY. Prints one line of JSON.
"""
import json
import sys

from qgis.core import QgsApplication, QgsFeatureRequest, QgsVectorLayer

address, collection, name = sys.argv[1:]
application = QgsApplication([], False)
application.initQgis()
layer = QgsVectorLayer(f"url='{address}' typename='{collection}' pageSize='1000'", 'layer', 'OAPIF')
if not layer.isValid():
    sys.exit(f'the provider does not read {collection}: {layer.error().message()}')
ids = set()
values = []
for feature in layer.getFeatures():
    ids.add(feature['id'])
    values.append(feature[name])
box = layer.extent()
box.scale(0.3)
inside = sum(1 for _ in layer.getFeatures(QgsFeatureRequest().setFilterRect(box)))
numbers = sorted(value for value in values if isinstance(value, (int, float)))
bound = numbers[len(numbers) // 2] if numbers else 0
layer.setSubsetString(f'"{name}" > {bound}')
print(json.dumps({
    'count': layer.dataProvider().featureCount() if not layer.subsetString() else len(values),
    'ids': len(ids),
    'inside': inside,
    'box': [box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum()],
    'bound': bound,
    'above': sum(1 for _ in layer.getFeatures()),
    'expected': sum(1 for number in numbers if number > bound),
}))
