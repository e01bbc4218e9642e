/** What vector tiles say of a feature: published columns with `_` for `:`, fewer where the map shows much at once. */
import { hash } from 'node:crypto';
import {
  type CoordinateDefaults,
  extentOf,
  geometriesOf,
  interned,
  type LodGeometry,
  Remembered,
  standingGeometry,
  type XmlElement,
} from '@citymodel/citygml';
import type { Extent } from '@citymodel/geo';
import type { AttributeAccount } from '../account/attribute-account.ts';
import type { GmlSource } from '../part-maker.ts';
import type { GmlCodeLabels } from '../read/code-labels.ts';
import type { Column } from '../read/column.ts';
import { columnsOf } from '../read/columns.ts';
import { type MapSymbol, symbolColumns } from './map-symbols.ts';

/** First zoom at which a feature has all of its columns. */
export const DETAILED_ZOOM = 15;

/** Columns at lower zooms: what maps colour by, and draw a symbol by. */
const COARSE =
  /^feature_type$|^dm_(?:dmCode_code|label|orientation)$|(?:^|_)(?:class|function|usage|rank|rank_code|浸水ランク|浸水ランクコード)$/;

/** Columns of footprints of buildings: what a base map draws. */
const FOOTPRINT_COLUMNS = new Set([
  'feature_type',
  'gml_id',
  'gml:name',
  'bldg:usage',
  'bldg:measuredHeight',
  'bldg:storeysAboveGround',
]);

/** What published tiles of land use leave out of the names of its attributes. */
const LAND_USE = 'uro_LandUseDetailAttribute_';

/** Names of columns in vector tiles. */
const keys = new Remembered((column) => {
  const full = column.replaceAll(':', '_');
  const key = interned(full.startsWith(LAND_USE) ? full.slice(LAND_USE.length) : full);
  return { key, isCoarse: COARSE.test(key) };
});

/** Columns that each part of a feature has of its own. */
const OWN = new Set(['meshcode', 'feature_type', 'city_code', 'city_name', 'gml_id', 'attributes']);

export type FieldType = 'String' | 'Number';

export interface VectorProperties {
  gmlId: string;
  /** 53 bits of a hash of the gml:id: the same in every tile, run and level of detail. */
  id: number;
  /** Type of each column. */
  fields: Map<string, FieldType>;
  /** Names and values in turn. */
  list: ReadonlyArray<string | number>;
  /** The same as JSON. */
  detailed: Uint8Array;
  /** Of lower zooms. */
  coarse: Uint8Array;
  /** Of a tile that the feature covers whole, at the zooms of `detailed`: its gml:id, and what `coarse` has. */
  readonly covering: Uint8Array;
}

export interface PropertySource {
  gml: GmlSource;
  /** Sheet of the national base map that the file is named by; null for another name. */
  sheet: string | null;
  labels: GmlCodeLabels;
  defaults: CoordinateDefaults;
  /** For a feature without a gml:id. */
  fallbackId: string;
  slim: boolean;
  /** Counts values, and cells that no tile has on purpose. */
  account: AttributeAccount;
  /** Of the feature of the file as a whole, where nothing outside of it was read for it; null where it is to be read again. */
  geometries: LodGeometry[] | null;
}

/** The properties of a feature; `root`: the feature of the file that it is a part of, or itself. */
export async function propertiesOf(
  element: XmlElement,
  root: XmlElement,
  source: PropertySource,
): Promise<VectorProperties> {
  const isFootprint = source.gml.type === 'bldg';
  return rowOf(await familyColumns(element, root, source, isFootprint), source.account);
}

/**
 * The properties of a room, or whatever else is inside: its own, what footprints have of the building around it, and
 * the building's gml:id behind the name of its type.
 */
export async function insidePropertiesOf(
  element: XmlElement,
  root: XmlElement,
  source: PropertySource,
): Promise<VectorProperties> {
  const extent = extentWithin(element, null, source);
  const own = await columns(element, source, false, extent);
  // Rooms of different floors lie on each other.
  if (extent !== null) own.push(heightColumn('_zmin', extent.minAlt), heightColumn('_zmax', extent.maxAlt));
  if (element !== root) {
    // The row of the building itself is that of its footprint, and accounts for its values.
    const { account: _, ...apart } = source;
    const parent = await columns(root, apart, true, null);
    addParent(own, parent, root);
    const id = parent.find(({ name }) => name === 'gml_id');
    if (id !== undefined) own.push({ ...id, name: `${root.name}_gml_id` });
  }
  return rowOf(own, source.account);
}

/**
 * The properties of a map symbol: all of its feature, then its own. `number`: from 1, among the symbols of the feature.
 */
export async function symbolPropertiesOf(
  symbol: Pick<MapSymbol, 'symbols' | 'element' | 'owner'>,
  root: XmlElement,
  number: number,
  source: PropertySource,
): Promise<VectorProperties> {
  const own = await familyColumns(symbol.owner, root, source, false);
  const { account: _, ...apart } = source;
  const extent = extentWithin(symbol.element, null, source);
  own.push(...symbolColumns(symbol, await columns(symbol.element, apart, false, extent)));
  const row = rowOf(own, source.account);
  return number === 1 ? row : { ...row, id: idOf(`${row.gmlId}#${number}`) };
}

/** Columns of a feature with those of the one that it is a part of. */
async function familyColumns(
  element: XmlElement,
  root: XmlElement,
  source: PropertySource,
  isFootprint: boolean,
): Promise<Column[]> {
  const isRoot = element === root;
  // No column of a footprint tells its place.
  const extent = isFootprint ? null : extentWithin(element, isRoot ? source.geometries : null, source);
  const own = await columns(element, source, isFootprint, extent);
  // What depends on the place, each part has of its own.
  if (!isRoot) addParent(own, await columns(root, { ...source, slim: true }, isFootprint, null), root);
  return own;
}

function rowOf(own: readonly Column[], account: AttributeAccount): VectorProperties {
  const fields: VectorProperties['fields'] = new Map();
  const detailed: Array<string | number> = [];
  const coarse: Array<string | number> = [];
  for (const { name, value } of own) {
    const { key, isCoarse } = keys.of(name);
    account.rowCell(key);
    if (fields.has(key)) {
      account.lostCell(key, 'NAME_TAKEN');
      continue;
    }
    fields.set(key, typeof value === 'number' ? 'Number' : 'String');
    detailed.push(key, value);
    if (isCoarse) coarse.push(key, value);
  }
  const gmlId = String(own.find(({ name }) => name === 'gml_id')!.value);
  let covering: Uint8Array | null = null;
  return {
    ...{ gmlId, id: idOf(gmlId), fields, list: detailed, detailed: json(detailed), coarse: json(coarse) },
    // Few features cover a tile.
    get covering() {
      covering ??= json([...coarse, 'gml_id', gmlId]);
      return covering;
    },
  };
}

/** An elevation of the data, in metres by millimetres. */
function heightColumn(name: string, altitude: number): Column {
  return { name, type: 'FLOAT64', value: Math.round(altitude * 1000) / 1000 };
}

/** Where the feature lies. */
function extentWithin(
  element: XmlElement,
  geometries: LodGeometry[] | null,
  { defaults }: Pick<PropertySource, 'defaults'>,
): Extent | null {
  return extentOf(standingGeometry(geometries ?? geometriesOf(element, defaults)));
}

async function columns(
  element: XmlElement,
  source: Omit<PropertySource, 'account'> & Partial<Pick<PropertySource, 'account'>>,
  isFootprint: boolean,
  extent: Extent | null,
): Promise<Column[]> {
  const { gml, sheet, labels, fallbackId, slim, account } = source;
  return columnsOf(element, {
    labels: await labels.of(element),
    package: gml.package,
    mesh: gml.mesh,
    sheet,
    fallbackId,
    extent,
    slim: slim || isFootprint,
    only: isFootprint ? FOOTPRINT_COLUMNS : null,
    ...(account === undefined ? {} : { account }),
  });
}

/**
 * A lane has the attributes of its road as well; where it has one of the same name, the road's has the name of its type
 * before it.
 */
function addParent(own: Column[], parent: readonly Column[], root: XmlElement): void {
  const names = new Set(own.map(({ name }) => name));
  for (const column of parent) {
    if (OWN.has(column.name)) continue;
    const name = names.has(column.name) ? `${root.name}_${column.name}` : column.name;
    own.push({ ...column, name });
  }
}

/** The first 53 bits of SHA-256. */
export function idOf(gmlId: string): number {
  const bytes = hash('sha256', gmlId, 'buffer');
  return bytes.readUInt32BE(0) * 2 ** 21 + (bytes.readUInt32BE(4) >>> 11);
}

function json(list: ReadonlyArray<string | number>): Uint8Array {
  return Buffer.from(JSON.stringify(list), 'utf8');
}
