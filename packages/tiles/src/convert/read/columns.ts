/**
 * Attributes of a feature as the columns of a table, under the names that published tiles have: `bldg:measuredHeight`,
 * `uro:BuildingDetailAttribute_uro:surveyYear`, a generic attribute by its own name, risks of floods by river and
 * scale. Only what clients filter and colour by becomes a column; everything stands in `attributes` as well, as the
 * interface answers it.
 */
import {
  type AttributesOptions,
  addressText,
  attributesOf,
  type CodeLabels,
  GENERIC,
  type GenericAttribute,
  genericAttributeOf,
  gmlIdOf,
  HOOK,
  interned,
  isFeatureElement,
  isGenericAttribute,
  localName,
  nameIn2,
  numberOf,
  propertyOf,
  Remembered,
  simpleValue,
  textIn2,
  type XmlElement,
  yearIn2,
} from '@citymodel/citygml';
import { type Extent, touchesGrid } from '@citymodel/geo';
import { type AttributeAccount, RowValues, type ValueFate } from '../account/attribute-account.ts';
import { isObject } from '../account/written-values.ts';
import type { SourcePackage } from '../part-maker.ts';
import type { Column, ColumnType } from './column.ts';
import { floodColumns, isFloodRisk } from './flood-columns.ts';
import { measuredHeight } from './measured-height.ts';

export interface ColumnOptions {
  labels: CodeLabels;
  package: Pick<SourcePackage, 'cityCode' | 'cityName'>;
  /** Mesh code of the file; null when it has none. */
  mesh: string | null;
  /**
   * Sheet of the national base map of a file in a plane system, which published tiles call a mesh code; null when it
   * has none.
   */
  sheet?: string | null;
  /** For a feature without a gml:id: `path#number`. */
  fallbackId: string;
  /** Of the feature's geometry, for `_bbox` in `attributes`; null when it has none. */
  extent: Extent | null;
  /** True leaves out `attributes`. */
  slim: boolean;
  /** Names of the only columns that are wanted; without it all are. */
  only?: ReadonlySet<string> | null;
  /** Counts what becomes of each value. */
  account?: AttributeAccount;
}

/** Types of attribute objects whose names are kept, and names of each; the schemas have some 150. */
const MOST_JOINED = 500;

/** Values of the data that say that a value is not known (standard product specification, 4.2). */
const UNKNOWN_NUMBERS = new Set([-9999, 9999]);

/**
 * Attribute objects whose properties keep their own names; those of others have the name of the object's type before
 * them.
 */
const PLAIN_OBJECTS = new Set(['uro:DataQualityAttribute', 'uro:RailwayRouteAttribute']);
/** Attribute objects that are left to `attributes`: they describe the drawing of maps, or how data was surveyed. */
const LEFT_OUT =
  /^ur[a-z]:(?:KeyValuePairAttribute|DmGeometricAttribute|DmAnnotation|PublicSurveyDataQualityAttribute)$/;
const LANDSLIDE = /^ur[a-z]:LandSlideRiskAttribute$/;
/** Codes that clients colour by as numbers. */
const NUMBER_CODES = new Set(['rank', 'rankOrg']);

/** The columns of a feature, each name once: of values that repeat, the first. */
export function columnsOf(feature: XmlElement, options: ColumnOptions): Column[] {
  const isCounted = options.account?.beginRow(feature) === true;
  const columns = new ColumnSet(
    isCounted ? new RowValues(options.account!, !options.slim) : null,
    options.only ?? null,
  );
  const city = cityOf(feature, options);
  if (options.mesh !== null && isPlausible(options.extent)) columns.add('meshcode', 'STRING', options.mesh);
  else if (options.sheet != null) columns.add('meshcode', 'STRING', options.sheet);
  columns.add('feature_type', 'STRING', feature.name);
  if (city.code !== '') columns.add('city_code', 'STRING', city.code);
  if (city.name !== '') columns.add('city_name', 'STRING', city.name);
  columns.add('gml_id', 'STRING', gmlIdOf(feature) ?? options.fallbackId);
  if (!options.slim)
    columns.add('attributes', 'STRING', attributesJson(feature, options, columns.values?.told));
  addProperties(columns, inOrderOf2(feature), '', options.labels);
  if (options.only != null) for (const risk of columns.floods) columns.values?.leaveObject(risk);
  else {
    for (const { name, type, value } of floodColumns(columns.floods, options.labels, columns.values))
      columns.add(name, type, value);
  }
  return [...columns.byName.values()];
}

/** Whether a feature may lie in a mesh: of a feature abroad, the number in the name of its file is a coordinate. */
function isPlausible(extent: Extent | null): boolean {
  return extent === null || touchesGrid(extent);
}

/** The attributes of a feature as the interface answers them, as JSON. */
function attributesJson(
  feature: XmlElement,
  { labels, extent }: Pick<ColumnOptions, 'labels' | 'extent'>,
  report?: AttributesOptions['told'],
): string {
  return JSON.stringify(attributesOf(feature, { labels, extent, told: report }));
}

/** The municipality that a feature states in its building id, else that of the package. */
export function cityOf(
  feature: XmlElement,
  { labels, package: source }: Pick<ColumnOptions, 'labels' | 'package'>,
): { code: string; name: string } {
  for (const property of feature.children) {
    const { isHook, mayHaveId } = cityHolders.of(property.name);
    if (!mayHaveId) continue;
    const object = property.children.find(({ name }) => !isHook || localName(name) === 'BuildingIDAttribute');
    const city = object?.children.find((child) => localName(child.name) === 'city');
    const code = city?.text.trim();
    if (city === undefined || code === undefined || code === '') continue;
    return { code, name: labels(city.attributes.codeSpace ?? '', code) ?? source.cityName };
  }
  return { code: source.cityCode, name: source.cityName };
}

/** CityGML 3.0 has the building id in a hook, whose name tells nothing of what it holds. */
const cityHolders = new Remembered((name) => {
  const isHook = HOOK.test(name);
  return { isHook, mayHaveId: isHook || localName(name) === 'buildingIDAttribute' };
});

class ColumnSet {
  readonly byName = new Map<string, Column>();
  /** Records of floods, which share their names with each other only. */
  readonly floods: XmlElement[] = [];

  /** Null where values are not counted. */
  readonly values: RowValues | null;

  readonly #only: ReadonlySet<string> | null;

  constructor(values: RowValues | null, only: ReadonlySet<string> | null) {
    this.values = values;
    this.#only = only;
  }

  /** True for a column that is not wanted. */
  isLeftOut(name: string): boolean {
    return this.#only !== null && !this.#only.has(name);
  }

  /** The first value of a name stays, and the first code with it. */
  add(name: string, type: ColumnType, value: string | number): ValueFate {
    if (this.isLeftOut(name)) return 'LEFT_OUT';
    if (typeof value === 'number' && UNKNOWN_NUMBERS.has(value) && (type === 'INT32' || value < 0))
      return 'VALUE_UNKNOWN';
    if (this.byName.has(name)) return 'REPEATED';
    this.byName.set(name, { name, type, value });
    return 'COLUMN';
  }
}

/** `prefix`: what stands before the names of properties, empty for those of the feature itself. */
function addProperties(
  columns: ColumnSet,
  owner: Pick<XmlElement, 'name' | 'children'>,
  prefix: string,
  labels: CodeLabels,
): void {
  const { values } = columns;
  let height: XmlElement | null | undefined;
  for (const element of owner.children) {
    if (isGenericAttribute(element.name)) {
      const attribute = genericAttributeOf(element, labels);
      if (attribute !== null) addGeneric(columns, attribute, '');
      continue;
    }
    const { kind } = propertyOf(owner.name, element.name);
    if (kind === 'geometry' || kind === 'child' || element.name === 'gml:boundedBy') continue;
    if (kind === 'address') {
      const text = addressText(element);
      const fate = text === '' ? 'EMPTY' : columns.add(prefix + element.name, 'STRING', text);
      values?.note(owner.name, element.name, fate);
    } else if (element.children.length === 0) {
      const name = yearIn2(owner.name, element.name) ?? columnName(prefix, element.name);
      const fate = addSimple(columns, name, element, owner.name, labels);
      values?.note(owner.name, element.name, fate);
    } else if (element.name === 'con:height') {
      height ??= measuredHeight(owner);
      for (const object of element.children) addHeight(columns, object, height, labels);
    } else if (prefix === '') {
      for (const object of element.children) {
        if (!isObject(object.name)) values?.leaveProperty(element.name, object);
        else if (!isFeatureElement(object.name)) addObject(columns, owner.name, object, labels);
      }
    } else values?.leaveProperty(owner.name, element);
  }
}

/**
 * A feature with its properties in the order of 2.0, in which tables have their columns and the first of several values
 * counts. 3.0 has those of all objects and constructions before those of the module, with what extensions add to them.
 */
function inOrderOf2(feature: XmlElement): Pick<XmlElement, 'name' | 'children'> {
  const { name, children } = feature;
  if (!children.some((child) => places.of(child.name).isOf3)) return feature;
  return { name, children: children.toSorted((a, b) => places.of(a.name).in2 - places.of(b.name).in2) };
}

const ORDER_OF_2 = [
  /^(?:gml|core|gen):(?!adeOf)/,
  /:(?:class|function|usage)$/,
  /^con:dateOf/,
  /^bldg:roofType$/,
  /^con:height$/,
  /^(?!.*:adeOf)/,
  HOOK,
];
const places = new Remembered((name) => ({
  in2: ORDER_OF_2.findIndex((those) => those.test(name)),
  isOf3: HOOK.test(name) || name.startsWith('con:'),
}));

function addObject(columns: ColumnSet, owner: string, object: XmlElement, labels: CodeLabels): void {
  const { name } = object;
  const alias = names.of(name);
  if (name.startsWith('gml:') || name === 'core:ImplicitGeometry') return;
  if (LEFT_OUT.test(name)) {
    columns.values?.leaveObject(object);
    return;
  }
  const isRisk = isFloodRisk(name);
  if (owner !== 'wtr:WaterBody' && isRisk) columns.floods.push(object);
  else if (LANDSLIDE.test(name)) addLandslide(columns, object, labels);
  else if (PLAIN_OBJECTS.has(alias) || isRisk) {
    addProperties(columns, { name, children: simple(object, columns.values) }, '', labels);
  } else addProperties(columns, object, prefixes.of(alias), labels);
}

/** A height of CityGML 3.0: one of a building is the column of 2.0, and only `attributes` says what it lies between. */
function addHeight(
  columns: ColumnSet,
  object: XmlElement,
  measured: XmlElement | null,
  labels: CodeLabels,
): void {
  for (const child of object.children) {
    if (child !== measured) columns.values?.leaveProperty(object.name, child);
    else {
      const fate = addSimple(columns, 'bldg:measuredHeight', child, object.name, labels);
      columns.values?.note(object.name, child.name, fate);
    }
  }
}

/** Without the objects that an attribute object holds. */
function simple(object: XmlElement, values: RowValues | null): XmlElement[] {
  return object.children.filter((child) => {
    if (child.children.length > 0) values?.leaveProperty(object.name, child);
    return child.children.length === 0;
  });
}

function addSimple(
  columns: ColumnSet,
  name: string,
  element: XmlElement,
  owner: string,
  labels: CodeLabels,
): ValueFate {
  const text = element.text.trim();
  const { codeSpace, uom } = element.attributes;
  if (text === '') return element.attributes['xlink:href'] === undefined ? 'EMPTY' : 'REFERENCE';
  if (
    codeSpace !== undefined &&
    codeSpace !== '' &&
    (element.name !== 'gml:name' || /\.xml/i.test(codeSpace))
  ) {
    return addCode(columns, name, element, text, labels);
  }
  // A footprint has a handful of columns.
  if (columns.isLeftOut(name)) return 'LEFT_OUT';
  const { kind } = propertyOf(owner, element.name);
  const isYear = kind === 'year' || yearIn2(owner, element.name) !== null;
  const value = simpleValue(kind, textIn2(isYear ? 'year' : kind, text), uom !== undefined);
  if (typeof value === 'number') return columns.add(name, kind === 'integer' ? 'INT32' : 'FLOAT64', value);
  return columns.add(name, 'STRING', typeof value === 'string' ? value : text);
}

/** The word of a code, and the code. */
function addCode(
  columns: ColumnSet,
  name: string,
  element: XmlElement,
  code: string,
  labels: CodeLabels,
): ValueFate {
  // A word and a code of different values would contradict each other.
  if (columns.byName.has(name)) return 'REPEATED';
  const codeName = codeNames.of(name);
  if (columns.isLeftOut(name) && columns.isLeftOut(codeName)) return 'LEFT_OUT';
  const word = labels(element.attributes.codeSpace ?? '', code);
  const fate = columns.add(name, 'STRING', word ?? code);
  addCodeItself(columns, codeName, element.name, code);
  return fate === 'COLUMN' && word === undefined ? 'CODE_WITHOUT_WORD' : fate;
}

/** Published columns have the names of 2.0, also those of CityGML 3.0. */
const names = new Remembered((name) => interned(nameIn2(name)));

/** Names of columns by prefix and name; joined anew each time, they would have to be looked up as keys each time. */
const namesByPrefix = new Remembered(
  (prefix) => new Remembered((name) => interned(prefix + names.of(name)), MOST_JOINED),
  MOST_JOINED,
);

const prefixes = new Remembered((name) => interned(`${name}_`));

function columnName(prefix: string, name: string): string {
  return namesByPrefix.of(prefix).of(name);
}

const codeNames = new Remembered((name) => interned(`${name}_code`));

function addCodeItself(columns: ColumnSet, name: string, property: string, code: string): void {
  const number = NUMBER_CODES.has(localName(property)) ? numberOf(code) : code;
  if (typeof number === 'number' && Number.isInteger(number)) columns.add(name, 'INT32', number);
  else columns.add(name, 'STRING', code);
}

function addGeneric(columns: ColumnSet, attribute: GenericAttribute, prefix: string): void {
  const { name, value, type, code } = attribute;
  if (Array.isArray(value)) {
    for (const inner of value) addGeneric(columns, inner, name === '' ? prefix : `${prefix}${name}_`);
    return;
  }
  let fate: ValueFate = 'EMPTY';
  if (name === '') fate = 'NAMELESS';
  else if (typeof value === 'number')
    fate = columns.add(prefix + name, type === 'int' ? 'INT32' : 'FLOAT64', value);
  else if (value !== null && value !== '') fate = columns.add(prefix + name, 'STRING', value);
  if (code !== undefined && fate === 'COLUMN') {
    columns.add(codeNames.of(prefix + name), 'STRING', code);
    if (value === code) fate = 'CODE_WITHOUT_WORD';
  }
  columns.values?.note(GENERIC, type, fate);
}

function addLandslide(columns: ColumnSet, risk: XmlElement, labels: CodeLabels): void {
  const { values } = columns;
  const description = childOf(risk, 'description');
  const area = childOf(risk, 'areaType');
  if (description === undefined || area === undefined) {
    values?.leaveObject(risk);
    return;
  }
  const [code, areaCode] = [description.text.trim(), area.text.trim()];
  const prefix = `土砂災害リスク_${labels(description.attributes.codeSpace ?? '', code) ?? code}_区域区分`;
  const fate = columns.add(prefix, 'STRING', labels(area.attributes.codeSpace ?? '', areaCode) ?? areaCode);
  const number = numberOf(areaCode);
  if (typeof number === 'number') columns.add(`${prefix}コード`, 'INT32', number);
  for (const child of risk.children) {
    if (child === description || child === area) values?.note(risk.name, child.name, fate);
    else values?.leaveProperty(risk.name, child);
  }
}

function childOf(element: XmlElement, local: string): XmlElement | undefined {
  return element.children.find((child) => localName(child.name) === local);
}
