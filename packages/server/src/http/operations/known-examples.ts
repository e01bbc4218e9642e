/** Examples of the description, from what the server holds: who tries them gets data. */

import type { OutputKind } from '@citymodel/base';
import { formatSpatialId, spatialIdOf } from '@citymodel/geo';
import type { CatalogueStore, GmlFileRow } from '@citymodel/store';
import type { AssetUrls } from '../../catalogue/names/asset-urls.ts';
import { rowText } from '../../catalogue/rows/snapshot-table.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import type { Ask } from '../../mcp/ask.ts';
import { type Examples, sampleExamples } from '../describe/examples.ts';

/** Files among which the smallest is the example. */
const LOOKED_AT = 50;
/** Zoom of the cell around a feature: some 250 m wide, so that it holds more than the middle of a courtyard. */
const ZOOM = 17;

/** What examples are found with; `ask` reaches the operations. */
export interface ExampleSource {
  catalogue: Pick<CatalogueStore, 'gmlFiles'>;
  urls: AssetUrls;
  publicUrl: string;
  ask: Ask;
}

/**
 * The first municipality with CityGML, its smallest file of buildings (else of its first type) and a feature in it; the
 * first composite and TileJSON that the catalogue lists. The sample city stands for what the server has none of.
 */
export async function findExamples(snapshot: Snapshot, source: ExampleSource): Promise<Examples> {
  const specs = { ...sampleExamples(source.publicUrl), ...specsOf(snapshot) };
  const codes = [...snapshot.cityGml.keys()].sort();
  const city = codes.find((code) => code.length === 5) ?? codes[0];
  const row = city === undefined ? undefined : snapshot.cityGml.get(city)?.[0];
  specs.compared = codes.find((code) => snapshot.cityGml.get(code)!.length > 1) ?? specs.compared;
  if (city === undefined || row === undefined) return specs;
  specs.city = city;
  specs.edition = `${city}-${row.year}`;
  const type = row.types.includes('bldg') ? 'bldg' : row.types[0];
  if (type === undefined) return specs;
  const files = await source.catalogue.gmlFiles({ packageNos: [row.no], types: [type], limit: LOOKED_AT });
  const [file] = files.filter(({ features }) => features > 0).sort((a, b) => a.size - b.size);
  if (file === undefined) return specs;
  const gml = source.urls.member(row, file.path);
  const mesh = file.mesh === '' ? specs.mesh : file.mesh;
  return { ...specs, type, mesh, gml, ...(await featureOf(file, gml, source.ask)) };
}

/** Specs of the newest data: the first composite tileset, the first TileJSON. */
function specsOf(snapshot: Snapshot): Partial<Pick<Examples, 'tileset' | 'tileJson'>> {
  const first = (kind: OutputKind): string | undefined => {
    const block = snapshot.tables.latest_datasets.blocks.find(({ key }) => key.startsWith(`${kind}/`));
    if (block === undefined) return undefined;
    const { url } = JSON.parse(rowText(block, 0)) as { url: string };
    return url.split('/').at(-2);
  };
  const [tileset, tileJson] = [first('3dtiles'), first('mvt')];
  return {
    ...(tileset === undefined ? {} : { tileset }),
    ...(tileJson === undefined ? {} : { tileJson }),
  };
}

/** A feature of a file, and a cell in which it lies. */
async function featureOf(
  { bounds }: GmlFileRow,
  gml: string,
  ask: Ask,
): Promise<Partial<Pick<Examples, 'id' | 'spatialId'>>> {
  if (bounds === null) return {};
  const { west, south, east, north } = bounds;
  const url = encodeURIComponent(gml);
  const found = await ask(`/citygml/features?url=${url}&bbox=${[west, south, east, north].join(',')}`);
  const id = (found.json as { featureIds?: string[] }).featureIds?.find(
    (featureId) => !featureId.includes(','),
  );
  if (id === undefined) return {};
  const read = await ask(`/citygml/attributes?url=${url}&id=${encodeURIComponent(id)}&fields=gml:id`);
  const centre = (read.json as Array<{ _bbox?: { center: { lng: number; lat: number } } }>)[0]?._bbox?.center;
  return centre === undefined
    ? { id }
    : { id, spatialId: formatSpatialId(spatialIdOf(centre.lng, centre.lat, null, ZOOM)) };
}
