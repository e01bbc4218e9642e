/** What examples name: things of the sample city, which is the same wherever it is made. */
export const SAMPLE = {
  city: '47900',
  mesh: '38295545',
  /** In the mesh above; the part before the name of the package differs with its content. */
  gml: '/47900_aonagi-shi_city_2024_citygml_1_op/udx/bldg/38295545_bldg_6697_op.gml',
  /** A building in that file. */
  id: 'bldg_6fa7ff51-f5c8-44a3-bc11-83543b6df621',
  /** A cell in which it stands, at any altitude. */
  spatialId: '18/225507/111623',
} as const;
