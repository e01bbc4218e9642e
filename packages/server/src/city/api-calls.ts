/** Calls of the interface about one area, as a terminal takes them. */
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import type { CityFacts } from './city-facts.ts';
import type { Word } from './city-words.ts';

export interface ApiCall {
  readonly title: Word;
  readonly url: string;
  /** For sh, bash and PowerShell 7. */
  readonly command: string;
}

/** The calls that have an answer, the most general first. */
export function apiCalls({ area, types, editions, tiles }: CityFacts, urls: AssetUrls): ApiCall[] {
  const { code, extent } = area;
  const at = (path: string) => `${urls.publicUrl}${path}`;
  const calls: ApiCall[] = [];
  const read = (title: Word, url: string) =>
    calls.push({ title, url, command: `curl -fsSL --compressed '${url}'` });
  const save = (title: Word, url: string, file: string) =>
    calls.push({ title, url, command: `curl -fL -o ${file} '${url}'` });
  const type = types[0]?.type;
  if (type !== undefined) {
    read('callCounts', at(`/datacatalog/counts/${code}`));
    read('callFiles', at(`/datacatalog/citygml/${code}`));
    if (extent !== 'wards') save('callZip', urls.cityZip(`${code}-latest`), `${code}.zip`);
    // Collections of the OGC API are of municipalities.
    const isMunicipality = extent === 'own' && area.packages.every(({ cityCode }) => cityCode === code);
    if (isMunicipality) read('callItems', at(`/ogc/collections/${code}-${type}/items?f=json&limit=10`));
    read('callStatistics', at(`/citygml/statistics?area=${code}&type=${type}&by=_type`));
  }
  const table = types.find((one) => one.table !== null);
  if (table !== undefined) save('callTable', table.table!, `${code}_${table.type}.parquet`);
  const [tileset, tileJson] = (['3dtiles', 'mvt'] as const).map((kind) =>
    tiles.find((one) => one.kind === kind),
  );
  if (tileset !== undefined) read('callTileset', tileset.url);
  if (tileJson !== undefined) read('callTileJson', tileJson.url);
  const [newer, older] = editions;
  if (extent !== 'wards' && type !== undefined && newer !== undefined && older !== undefined)
    if (older.year < newer.year) read('callChanges', at(changesPath(code, type, older.year, newer.year)));
  if (extent === 'own') read('callStac', at(`/stac/collections/${code}`));
  return calls;
}

/** Where the differences of two editions are told. */
export function changesPath(code: string, type: string, from: number, to: number): string {
  return `/citygml/changes?city_code=${code}&type=${type}&from=${from}&to=${to}`;
}
