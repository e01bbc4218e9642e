import { isObject } from '../read-json.ts';
import type { Glb } from '../tile-content.ts';
import { attributeValues } from './gltf-vertices.ts';

type Json = Record<string, unknown>;

export type Say = (code: string, severity: 'error' | 'warning' | 'info', message: string) => void;

/** Bytes of a scalar's component (EXT_structural_metadata, "Component type"). */
const COMPONENT_SIZES: Record<string, number> = {
  INT8: 1,
  UINT8: 1,
  INT16: 2,
  UINT16: 2,
  INT32: 4,
  UINT32: 4,
  INT64: 8,
  UINT64: 8,
  FLOAT32: 4,
  FLOAT64: 8,
};
const IDENTIFIER = /^[a-zA-Z_]\w*$/;

/**
 * Checks feature ids (EXT_mesh_features) against their property tables, and those against their schema and buffer
 * views (EXT_structural_metadata): identifiers, columns, lengths, alignment, string offsets. Of the types of columns
 * it knows single strings and scalars, of feature ids those of vertex attributes; it calls others unknown.
 */
export function validateMetadata(glb: Glb, say: Say): void {
  const metadata = object(object(glb.json.extensions).EXT_structural_metadata);
  const tables = list(metadata.propertyTables);
  const schema = object(metadata.schema);
  const wrong = (message: string) => say('METADATA_INVALID', 'error', message);
  if (glb.json.extensions !== undefined && 'EXT_structural_metadata' in object(glb.json.extensions)) {
    if (!IDENTIFIER.test(String(schema.id))) wrong(`The schema has the id ${String(schema.id)}.`);
    for (const [name, { properties }] of Object.entries(objects(schema.classes))) {
      for (const id of [name, ...Object.keys(object(properties))])
        if (!IDENTIFIER.test(id)) wrong(`${id} is no identifier.`);
    }
    for (const table of tables) validateTable(table, objects(schema.classes), glb, wrong);
  }
  for (const mesh of list(glb.json.meshes)) {
    for (const primitive of list(mesh.primitives)) validateFeatureIds(primitive, tables, glb, say);
  }
}

/** The buffer views that property tables use, and the glTF itself does not. */
export function metadataViews({ json }: Glb): Set<number> {
  const { propertyTables } = object(object(json.extensions).EXT_structural_metadata);
  const views = list(propertyTables).flatMap((table) =>
    Object.values(objects(table.properties)).flatMap(({ values, stringOffsets }) => [values, stringOffsets]),
  );
  return new Set(views.filter((view) => typeof view === 'number'));
}

function validateTable(
  table: Json,
  classes: Record<string, Json>,
  glb: Glb,
  wrong: (message: string) => void,
): void {
  const schema = objects(classes[String(table.class)]?.properties);
  const columns = objects(table.properties);
  const count = table.count;
  if (classes[String(table.class)] === undefined) wrong(`There is no class ${String(table.class)}.`);
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1) {
    wrong(`A property table has the count ${String(count)}.`);
    return;
  }
  if (Object.keys(columns).length === 0) wrong('A property table has no columns.');
  for (const id of Object.keys(columns)) if (schema[id] === undefined) wrong(`The class has no ${id}.`);
  for (const [id, property] of Object.entries(schema)) {
    const column = columns[id];
    if (column === undefined) {
      wrong(`The table has no column ${id}, though its class has it.`);
      continue;
    }
    if (property.required === true && property.noData !== undefined)
      wrong(`${id} is required and has a value for no data.`);
    if (property.type === 'STRING') {
      const offsetSize = COMPONENT_SIZES[String(column.stringOffsetType ?? 'UINT32')] ?? 4;
      const offsets = [...unsigned(viewOf(column.stringOffsets, offsetSize, glb, wrong), offsetSize)];
      const values = viewOf(column.values, 1, glb, wrong);
      if (property.componentType !== undefined) wrong(`${id} has a component type, though it is a string.`);
      if (property.noData !== undefined && typeof property.noData !== 'string')
        wrong(`${id} has ${String(property.noData)} for no data.`);
      if (offsets.length !== count + 1) wrong(`${id} has ${offsets.length} offsets for ${count} strings.`);
      if (offsets.some((offset, i) => offset < (offsets[i - 1] ?? 0))) wrong(`Offsets of ${id} fall.`);
      if (offsets.at(-1) !== values.length) wrong(`${id} has ${values.length} bytes; ${offsets.at(-1)} end.`);
    } else if (property.type === 'SCALAR' && property.array !== true) {
      const size = COMPONENT_SIZES[String(property.componentType)];
      if (size === undefined) wrong(`${id} has the component type ${String(property.componentType)}.`);
      else if (viewOf(column.values, size, glb, wrong).length !== size * count)
        wrong(`The values of ${id} are not ${count} times ${size} bytes.`);
      if (property.noData !== undefined && typeof property.noData !== 'number')
        wrong(`${id} has ${String(property.noData)} for no data.`);
    } else wrong(`${id} has the unknown type ${String(property.type)}.`);
  }
}

function validateFeatureIds(primitive: Json, tables: Json[], glb: Glb, say: Say): void {
  for (const featureId of list(object(object(primitive.extensions).EXT_mesh_features).featureIds)) {
    const wrong = (message: string) => say('FEATURE_ID_INVALID', 'error', message);
    const { attribute, featureCount, propertyTable } = featureId;
    const name = `_FEATURE_ID_${String(attribute)}`;
    const accessor = list(glb.json.accessors)[Number(object(primitive.attributes)[name])];
    if (accessor === undefined) {
      wrong(`There is no attribute ${name}.`);
      continue;
    }
    if (accessor.type !== 'SCALAR' || accessor.normalized === true) wrong(`${name} is not of plain scalars.`);
    const alone = { ...glb, json: { ...glb.json, meshes: [{ primitives: [primitive] }] } };
    const ids = new Set(attributeValues(alone, name));
    if (typeof featureCount !== 'number' || featureCount < Math.max(1, ids.size))
      wrong(`${name} has ${ids.size} ids, for a count of ${String(featureCount)}.`);
    if (propertyTable === undefined) continue;
    const rows = Number(tables[Number(propertyTable)]?.count);
    const outside = [...ids].filter((id) => !(Number.isInteger(id) && id >= 0 && id < rows));
    if (outside.length > 0) wrong(`${name} has ids such as ${outside[0]} for a table of ${rows} rows.`);
  }
}

/** Bytes of a buffer view; none, and a complaint, where there is no such view or it is misaligned. */
function viewOf(index: unknown, size: number, { json, bin }: Glb, wrong: (m: string) => void): Uint8Array {
  const view = list(json.bufferViews)[Number(index)];
  const offset = Number(view?.byteOffset ?? 0);
  const length = Number(view?.byteLength);
  if (typeof index !== 'number' || view === undefined || !(offset + length <= bin.length)) {
    wrong(`There is no buffer view ${String(index)}.`);
    return new Uint8Array();
  }
  // 8 is what the extension asks of every view that it uses, whatever is in it.
  if (offset % Math.max(8, size) !== 0) wrong(`The buffer view ${index} begins at ${offset}.`);
  return bin.subarray(offset, offset + length);
}

/** Little-endian integers of 1, 2 or 4 bytes. */
function* unsigned(bytes: Uint8Array, size: number): Generator<number> {
  const buffer = Buffer.from(bytes);
  for (let at = 0; at + size <= bytes.length; at += size) yield buffer.readUIntLE(at, size);
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const object = (value: unknown): Json => (isObject(value) ? value : {});
const objects = (value: unknown): Record<string, Json> => object(value) as Record<string, Json>;
