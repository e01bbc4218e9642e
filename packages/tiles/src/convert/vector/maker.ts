/** Vector tiles of CityGML: what each GML file adds to the tiles of a package, and the packages made of that. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crsOf, geometriesOf, gmlIdOf, localName, mapSheetOf } from '@citymodel/citygml';
import { zxyToTileId } from 'pmtiles';
import { MAX_ZOOM, MIN_ZOOM } from '../../write/vector-tiles.ts';
import type { AttributeAccount } from '../account/attribute-account.ts';
import { Fate, LEVELS, NO_LOD, type PartAccountBuilder } from '../account/part-account.ts';
import { isTerrainAmong, LARGE_TYPE, noteFeature } from '../account/written-levels.ts';
import {
  type GmlSource,
  type OutputKey,
  outputSuffix,
  type Part,
  type PartContext,
  type PartMaker,
  type PartOutput,
} from '../part-maker.ts';
import { unreadPolygons } from '../read/bodies.ts';
import { GmlCodeLabels } from '../read/code-labels.ts';
import { type IssueCode, IssueCounter } from '../read/issue-counter.ts';
import { NO_SYSTEM, systemsOf } from '../read/own-systems.ts';
import { Plausibility } from '../read/plausible.ts';
import { readResolved } from '../read/resolved-features.ts';
import {
  containsInside,
  foreseenInside,
  hasInside,
  INSIDE_LOD,
  insideFeatures,
  insideKey,
  mayHoldInside,
} from './inside-features.ts';
import { type LayerSummary, SummaryBuilder } from './layer-summary.ts';
import { hasSymbols, holdsSymbols, mapSymbolsOf } from './map-symbols.ts';
import { RecordSorter } from './tile-records.ts';
import { type Dust, mercatorShapes, tilesOf } from './tile-shape.ts';
import {
  foreseenOutputs,
  isVectorType,
  plannedOutputs,
  symbolKey,
  type VectorFeature,
  vectorFeatures,
} from './vector-features.ts';
import {
  DETAILED_ZOOM,
  insidePropertiesOf,
  propertiesOf,
  symbolPropertiesOf,
  type VectorProperties,
} from './vector-properties.ts';
import { writeVectorPackage } from './write-package.ts';

/** What a part says of an output: the file with its records, and what metadata tells. */
export interface VectorPartData {
  file: string;
  summary: LayerSummary;
}

export const vectorMaker: PartMaker = {
  name: 'mvt',
  version: 16,
  partOptions: ['lods', 'slim'],
  container: (options) => (options.pmtiles ? 'pmtiles' : 'zip'),
  plan: (gml, options) => plannedOutputs(gml).filter((key) => isAsked(key, options.lods)),
  foresee: (gml, options, content) =>
    [...foreseenOutputs(gml, content), ...foreseenInside(gml.type, content)].filter((key) =>
      isAsked(key, options.lods),
    ),
  makePart,
  join: (key, parts, sink, context) => writeVectorPackage(key, sourcesOf(key, parts), sink, context),
};

/** Names of packages of map symbols do not say their LOD. */
function isAsked({ lod, symbols }: OutputKey, lods: readonly number[] | null): boolean {
  const own = symbols === null ? lod : SYMBOL_LOD;
  return lods === null || own === null || lods.includes(own);
}

/** Of vector tiles a part adds to an output what it has at its very level of detail, nothing else. */
function sourcesOf(key: OutputKey, parts: readonly Part[]): Array<{ path: string; summary: LayerSummary }> {
  const suffix = outputSuffix(key);
  return parts.flatMap((part) =>
    part.outputs
      .filter((output) => outputSuffix(output.key) === suffix)
      .map(({ data }) => {
        const { file, summary } = data as VectorPartData;
        return { path: join(part.directory, file), summary };
      }),
  );
}

/**
 * Tiles of all zooms that the features of one file may be in: so many, and some for each byte of its text, so that a
 * small file with a wrong corner does not fill the disk. A district of 47 km takes 8,000, and all features of its file
 * come to 0.11 for each byte.
 */
const MOST_TILES = 20_000;
const TILES_PER_BYTE = 0.25;

/** Level of detail that map symbols have. */
const SYMBOL_LOD = 0;

/** What is drawn into the tiles of an output. */
type Drawable = Pick<VectorFeature, 'key' | 'layer' | 'footprint'>;

/** An output of one part while it grows. */
interface Growing {
  key: OutputKey;
  sorter: RecordSorter;
  summary: SummaryBuilder;
  file: string;
  /** Of the features so far, by zoom. */
  dust: Dust[];
}

async function makePart(
  gml: GmlSource,
  directory: string,
  context: PartContext,
): Promise<readonly PartOutput[]> {
  const outputs = new Map<string, Growing>();
  const labels = new GmlCodeLabels(gml);
  const sheet = mapSheetOf(gml.path);
  const plausibility = new Plausibility(gml, false);
  const issues = new IssueCounter(gml.path, context.issue);
  const left = { tiles: MOST_TILES + Math.ceil(gml.size * TILES_PER_BYTE) };
  const { account } = context;
  const isDrawn = isVectorType(gml.type);
  if (!isDrawn && !(await mayHoldInside(gml)) && !(await holdsSymbols(gml))) return [];
  await mkdir(context.scratch, { recursive: true });
  for await (const item of readResolved(gml, context)) {
    if (item.kind === 'appearance') continue;
    const fallbackId = `${gml.path}#${item.number}`;
    const { number } = item;
    if (item.kind === 'large') {
      issues.count('FEATURE_TOO_LARGE', fallbackId, 'is too large for vector tiles');
      account.feature(number, LARGE_TYPE);
      if (isDrawn) account.lost(number, NO_LOD, 'FEATURE_TOO_LARGE');
      continue;
    }
    if (isTerrainAmong(gml.type, item.element)) {
      noteFeature(account, number, item.element);
      continue;
    }
    // Of features of other types only those with map symbols, or an inside, have rows here.
    const hasRows =
      isDrawn || hasSymbols(item.element) || (hasInside(gml.type) && containsInside(item.element));
    if (hasRows) noteFeature(account, number, item.element);
    else {
      account.feature(number, item.element.name);
      continue;
    }
    const { srsName } = item.defaults;
    const id = gmlIdOf(item.element) ?? fallbackId;
    if (srsName === null || crsOf(srsName) === null) {
      issues.count('CRS_UNKNOWN', id, srsName ?? NO_SYSTEM);
      account.lostWhole(number, 'CRS_UNKNOWN');
      continue;
    }
    if (item.defaults.isTurned) issues.count('AXES_TURNED', id, srsName);
    const systems = systemsOf(item.element);
    for (const name of systems.unknown) issues.count('CRS_UNKNOWN', id, name);
    const geometries = geometriesOf(item.element, item.defaults, undefined, item.elsewhere);
    // Of other types the maker of 3D Tiles tells what cannot be read.
    const unread = isDrawn ? unreadPolygons(item.element, geometries) : [];
    const broken = unread.filter(({ polygon }) => !systems.unplaced.has(polygon));
    if (broken.length > 0) issues.count('POLYGON_BROKEN', id, '', broken.length);
    let implausible: IssueCode | null = null;
    const onImplausible = (code: IssueCode, count: number) => {
      implausible ??= code;
      if (code === 'GEOMETRY_FAR_OFF' || code === 'FEATURE_TOO_WIDE') issues.count(code, id, '', count);
    };
    const features = vectorFeatures(item.element, geometries, gml, plausibility, onImplausible).filter(
      ({ key }) => isAsked(key, context.options.lods),
    );
    const { slim } = context.options;
    const source = {
      ...{ gml, sheet, labels, defaults: item.defaults, fallbackId, slim, account: account.attributes },
      geometries: item.elsewhere === undefined ? geometries : null,
    };
    const draw = async (feature: Drawable, properties: VectorProperties) => {
      context.signal.throwIfAborted();
      const growing = outputOf(outputs, feature.key, context.scratch);
      const lost = await addFeature(growing, feature, properties, { issues, left });
      settleCells(account.attributes, properties, lost);
      return lost;
    };
    for (const feature of features) {
      const properties = await propertiesOf(feature.element, item.element, source);
      settle(account, number, gml.type === 'bldg' ? 0 : feature.key.lod, await draw(feature, properties));
    }
    const inside = isAsked(insideKey(gml.type), context.options.lods)
      ? insideFeatures(
          item.element,
          geometries,
          gml.type,
          (all) => plausibility.filter(all, onImplausible).geometries,
        )
      : [];
    for (const feature of inside) {
      const lost = await draw(feature, await insidePropertiesOf(feature.element, item.element, source));
      // What stands is in 3D Tiles, whose maker accounts for it.
      if (feature.isFlat) settle(account, number, INSIDE_LOD, lost);
    }
    const symbols = mapSymbolsOf(item.element, item.defaults, gml, (code, count) => {
      issues.count(code, id, '', count);
      if (account.isOpen(number, SYMBOL_LOD)) account.lost(number, SYMBOL_LOD, code);
    });
    for (const [i, symbol] of symbols.entries()) {
      const { footprint } = symbol;
      const key = symbolKey(symbol, item.element, gml);
      if (footprint === null || !isAsked(key, context.options.lods)) continue;
      const layer = localName(symbol.owner.name);
      const properties = await symbolPropertiesOf(symbol, item.element, i + 1, source);
      settle(account, number, SYMBOL_LOD, await draw({ key, layer, footprint }, properties));
    }
    const gap =
      implausible ??
      (systems.unknown.length > 0
        ? 'CRS_UNKNOWN'
        : broken.length > 0
          ? 'POLYGON_BROKEN'
          : item.elsewhere !== undefined
            ? 'REFERENCE_UNRESOLVED'
            : null);
    const own = plannedOutputs(gml).filter((key) => key.symbols === null);
    for (const { lod } of own) if (gap !== null) noteGap(account, number, lod, gap);
  }
  issues.tell();
  const parts: PartOutput[] = [];
  for (const { key, sorter, summary, file } of outputs.values()) {
    // An output without a feature has no bounds either.
    if (summary.features === 0) continue;
    await sorter.finish(join(directory, file));
    const data: VectorPartData = { file, summary: summary.result() };
    parts.push({ key, features: summary.features, data });
  }
  return parts;
}

function outputOf(outputs: Map<string, Growing>, key: OutputKey, scratch: string): Growing {
  const name = outputSuffix(key);
  let growing = outputs.get(name);
  if (growing === undefined) {
    const file = `${name.replaceAll(/[^\w.-]/g, '_')}.tiles`;
    const dust = Array.from({ length: MAX_ZOOM + 1 }, () => ({ area: 0 }));
    growing = { key, sorter: new RecordSorter(scratch, file), summary: new SummaryBuilder(), file, dust };
    outputs.set(name, growing);
  }
  return growing;
}

/** Notes that tiles have the properties of a feature, or why they have not. */
function settleCells(account: AttributeAccount, { list }: VectorProperties, lost: IssueCode | null): void {
  for (let i = 0; i < list.length; i += 2) {
    const name = String(list[i]);
    if (lost === null) account.stored(name, 1);
    else account.lostCell(name, lost);
  }
}

/**
 * Notes what became of a feature at a level of detail, or where the output has none, at all that it has: why it is
 * lost, or null.
 */
function settle(account: PartAccountBuilder, number: number, lod: number | null, lost: IssueCode | null) {
  for (let level = 0; level < LEVELS; level++) {
    if ((lod !== null && level !== lod) || !account.has(number, level)) continue;
    if (lost === null) account.fate(number, level, Fate.shown);
    else account.lost(number, level, lost);
  }
}

/** Says why nothing was made of what a feature has at a level, or where the output has none, at all levels. */
function noteGap(account: PartAccountBuilder, number: number, lod: number | null, code: IssueCode): void {
  for (let level = 0; level < LEVELS; level++) {
    if ((lod === null || level === lod) && account.isOpen(number, level)) account.lost(number, level, code);
  }
}

/** Why nothing of the feature is drawn; null where something is. */
async function addFeature(
  { sorter, summary, dust }: Growing,
  { layer, footprint }: Drawable,
  properties: VectorProperties,
  { issues, left }: { issues: IssueCounter; left: { tiles: number } },
): Promise<IssueCode | null> {
  const shapes = mercatorShapes(footprint);
  let [isDrawn, hasMore] = [false, false];
  for (let zoom = MIN_ZOOM; zoom <= MAX_ZOOM; zoom++) {
    for (const shape of shapes) {
      const tiles = tilesOf(shape, zoom, zoom === MAX_ZOOM, left.tiles, dust[zoom]);
      if (tiles === null) {
        hasMore = true;
        continue;
      }
      left.tiles -= tiles.length;
      for (const { x, y, commands, weight, isCover } of tiles) {
        isDrawn = true;
        await sorter.add({
          tile: zxyToTileId(zoom, x, y),
          id: properties.id,
          weight,
          type: shape.type,
          layer,
          properties:
            zoom < DETAILED_ZOOM ? properties.coarse : isCover ? properties.covering : properties.detailed,
          commands,
        });
      }
    }
  }
  if (hasMore) issues.count('TILES_TOO_MANY', properties.gmlId);
  if (isDrawn) summary.add(layer, footprint, properties.fields);
  if (isDrawn) return null;
  if (hasMore) return 'TILES_TOO_MANY';
  issues.count('SHAPE_TOO_SMALL', properties.gmlId);
  return 'SHAPE_TOO_SMALL';
}
