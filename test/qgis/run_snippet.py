"""Runs a snippet as the Python console of QGIS would, then draws the map twice: as zoomed by the snippet, and the
whole world.

Usage: run_snippet.py SNIPPET IMAGE. Prints one line of JSON: the extent of the map in degrees, and the share of pixels
that differ from the background.
"""
import json
import sys

# The console has these names.
from qgis.core import *
from qgis.gui import *
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor

BACKGROUND = QColor('white')
MERCATOR = QgsCoordinateReferenceSystem('EPSG:3857')
DEGREES = QgsCoordinateReferenceSystem('EPSG:4326')


class Iface:
    """What the snippet uses of the main window."""

    def __init__(self):
        self.layer = None
        self.extent = QgsRectangle(-20037508, -20037508, 20037508, 20037508)

    def setActiveLayer(self, layer):
        self.layer = layer

    def zoomToActiveLayer(self):
        to_map = QgsCoordinateTransform(self.layer.crs(), MERCATOR, QgsProject.instance())
        self.extent = to_map.transformBoundingBox(self.layer.extent())
        self.extent.scale(1.05)


def draw(extent):
    settings = QgsMapSettings()
    settings.setLayers(list(QgsProject.instance().mapLayers().values()))
    settings.setDestinationCrs(MERCATOR)
    settings.setOutputSize(QSize(1200, 800))
    settings.setOutputDpi(96)
    settings.setBackgroundColor(BACKGROUND)
    settings.setExtent(extent)
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    return job.renderedImage()


application = QgsApplication([], False)
application.initQgis()
iface = Iface()
with open(sys.argv[1], encoding='utf8') as snippet:
    exec(compile(snippet.read(), sys.argv[1], 'exec'), globals())
assert iface.layer is not None and iface.layer.isValid(), 'the layer is not valid'
image = draw(iface.extent)
image.save(sys.argv[2])
painted = sum(
    image.pixelColor(x, y) != BACKGROUND for x in range(0, image.width(), 4) for y in range(0, image.height(), 4)
)
draw(QgsRectangle(-20037508, -20037508, 20037508, 20037508))
to_degrees = QgsCoordinateTransform(MERCATOR, DEGREES, QgsProject.instance())
box = to_degrees.transformBoundingBox(iface.extent)
print(json.dumps({
    'extent': [box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum()],
    'painted': painted / (image.width() * image.height() / 16),
}))
QgsProject.instance().clear()
application.exitQgis()
