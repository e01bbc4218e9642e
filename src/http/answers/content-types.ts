/** `Content-Type` of package members by their file name. */
const TYPES: Record<string, string> = {
  gml: 'application/gml+xml',
  xml: 'application/xml',
  xsd: 'application/xml',
  json: 'application/json',
  geojson: 'application/geo+json',
  czml: 'application/json',
  b3dm: 'application/octet-stream',
  i3dm: 'application/octet-stream',
  pnts: 'application/octet-stream',
  cmpt: 'application/octet-stream',
  subtree: 'application/octet-stream',
  bin: 'application/octet-stream',
  glb: 'model/gltf-binary',
  gltf: 'model/gltf+json',
  mvt: 'application/vnd.mapbox-vector-tile',
  pbf: 'application/vnd.mapbox-vector-tile',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  webp: 'image/webp',
  ktx2: 'image/ktx2',
  pdf: 'application/pdf',
  csv: 'text/csv; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  zip: 'application/zip',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** The registered type of the file, or `application/octet-stream`. HTML and scripts are never named as such: a package is data. */
export function contentTypeOf(path: string): string {
  return TYPES[path.slice(path.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream';
}
