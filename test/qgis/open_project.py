"""Opens a project as QGIS does, and draws the layers that are checked, zoomed as the project says.

Usage: open_project.py PROJECT IMAGE. Prints one line of JSON: what was read, and the share of pixels that differ from
the background. Earlier versions than 3.34 know no layers of 3D Tiles.
"""
import json
import sys
import xml.etree.ElementTree as ElementTree

from qgis.core import *
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor

BACKGROUND = QColor('white')

application = QgsApplication([], False)
application.initQgis()
project = QgsProject.instance()
has_read = project.read(sys.argv[1])
box = ElementTree.parse(sys.argv[1]).find('mapcanvas/extent')
west, south, east, north = (float(box.find(name).text) for name in ('xmin', 'ymin', 'xmax', 'ymax'))
settings = QgsMapSettings()
settings.setLayers(project.layerTreeRoot().checkedLayers())
settings.setDestinationCrs(project.crs())
settings.setOutputSize(QSize(1200, 800))
settings.setOutputDpi(96)
settings.setBackgroundColor(BACKGROUND)
settings.setExtent(QgsRectangle(west, south, east, north))
job = QgsMapRendererParallelJob(settings)
job.start()
job.waitForFinished()
image = job.renderedImage()
image.save(sys.argv[2])
painted = sum(
    image.pixelColor(x, y) != BACKGROUND for x in range(0, image.width(), 4) for y in range(0, image.height(), 4)
)
print(
    json.dumps(
        {
            'read': has_read,
            'title': project.title(),
            'crs': project.crs().authid(),
            'layers': [[layer.name(), layer.isValid()] for layer in project.mapLayers().values()],
            'groups': [group.name() for group in project.layerTreeRoot().children()],
            'painted': painted / (image.width() // 4 * (image.height() // 4)),
        }
    )
)
