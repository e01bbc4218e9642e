"""
Positions of places in each coordinate system of the EPSG registry, by PROJ (`pip install pyproj==3.7.2`): what
`make-epsg-table.ts` compares definitions with. Prints a JSON object a line: code, area of use (west, south, east, north
in degrees), and `places`, each as the two numbers of the position in the authority's order, longitude, latitude and the
accuracy of the transformation in metres. For a system of two, a compound one, it prints the codes of both.
"""
import json
import math
import warnings

from pyproj import CRS, Transformer, database
from pyproj.enums import PJType
from pyproj.exceptions import ProjError

warnings.filterwarnings("ignore")
SHARES = [(0.5, 0.5), (0.3, 0.35), (0.7, 0.3), (0.35, 0.7), (0.65, 0.65)]
UNITS = {"metre", "degree", "degree (supplier to define representation)"}


def places(crs, area):
    """Five places inside of the area, whose position leads back to them within 0.1 mm."""
    there = Transformer.from_crs(4326, crs)
    back = Transformer.from_crs(crs, 4326)
    width = (area.east - area.west) % 360 or 360
    for east, north in SHARES:
        lng = (area.west + width * east + 180) % 360 - 180
        lat = area.south + (area.north - area.south) * north
        first, second = there.transform(lat, lng, errcheck=False)[:2]
        if not (math.isfinite(first) and math.isfinite(second)):
            continue
        lat, lng = back.transform(first, second, errcheck=False)[:2]
        if not math.isfinite(lat):
            continue
        accuracy = back.get_last_used_operation().accuracy
        yield [round(first, 9), round(second, 9), round(lng, 9), round(lat, 9), accuracy]


def main():
    kinds = [PJType.PROJECTED_CRS, PJType.GEOGRAPHIC_2D_CRS, PJType.GEOGRAPHIC_3D_CRS, PJType.COMPOUND_CRS]
    for kind in kinds:
        # Deprecated systems stay in use by the files that name them.
        for code in sorted(map(int, database.get_codes("EPSG", kind, allow_deprecated=True))):
            crs = CRS.from_epsg(code)
            row = {"code": code, "name": crs.name}
            if kind == PJType.COMPOUND_CRS:
                row["of"] = [int(sub.to_authority()[1]) for sub in crs.sub_crs_list if sub.to_authority()]
            else:
                area = crs.area_of_use
                if area is None or any(axis.unit_name not in UNITS for axis in crs.axis_info):
                    continue
                row["dimension"] = len(crs.axis_info)
                row["geographic"] = crs.is_geographic
                row["area"] = [area.west, area.south, area.east, area.north]
                try:
                    row["places"] = list(places(crs, area))
                except ProjError:
                    continue  # Such as a system of another planet, or one whose projection PROJ lacks.
            print(json.dumps(row, ensure_ascii=False))


main()
