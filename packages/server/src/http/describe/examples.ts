/** What the examples of the description name. */

/** Things that a server has, so that its examples can be tried. */
export interface Examples {
  /** 5 digits of a municipality or ward, or 2 of a prefecture. */
  city: string;
  /** A municipality with two editions. */
  compared: string;
  /** Id of what the municipality published in one year, as the STAC catalogue calls it. */
  edition: string;
  /** Feature-type code of the file below. */
  type: string;
  /** A mesh code in which the municipality has a CityGML file. */
  mesh: string;
  /** URL of that file. */
  gml: string;
  /** gml:id of a feature in that file. */
  id: string;
  /** A cell in which that feature lies, at any altitude: `z/x/y`. */
  spatialId: string;
  /** Spec of a composite tileset. */
  tileset: string;
  /** Spec of a TileJSON. */
  tileJson: string;
  /** Id of a pack. */
  pack: string;
}

/** The path of the sample city's file below its asset directory, whose name differs with the content. */
export const SAMPLE_GML = '/47900_aonagi-shi_city_2024_citygml_1_op/udx/bldg/38295545_bldg_6697_op.gml';

/** Things of the sample city, which is the same wherever it is made. */
export const SAMPLE: Omit<Examples, 'gml'> = {
  city: '47900',
  compared: '47950',
  edition: '47900-2024',
  type: 'bldg',
  mesh: '38295545',
  id: 'bldg_6fa7ff51-f5c8-44a3-bc11-83543b6df621',
  spatialId: '18/225507/111623',
  tileset: '47900-bldg-maxlod2-latest',
  tileJson: '47900-luse-latest',
  pack: '0'.repeat(64),
};

/** The sample city's examples, with a URL of the form that this server gives. */
export function sampleExamples(publicUrl: string): Examples {
  return { ...SAMPLE, gml: `${publicUrl}/assets/00/000000-0000-0000-0000-000000000000${SAMPLE_GML}` };
}
