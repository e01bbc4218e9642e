/** Vector tiles of CityGML: what each GML file adds to the tiles of a package, and the packages made of that. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { zxyToTileId } from 'pmtiles';
import { gmlIdOf } from '../../citygml/attributes/attributes.ts';
import { crsOf } from '../../citygml/geometry/crs.ts';
import { MAX_ZOOM, MIN_ZOOM } from '../../tiles/write/vector-tiles.ts';
import {
  type GmlSource,
  type OutputKey,
  outputSuffix,
  type Part,
  type PartContext,
  type PartMaker,
  type PartOutput,
} from '../part-maker.ts';
import { GmlCodeLabels } from '../read/code-labels.ts';
import { systemsOf } from '../read/own-systems.ts';
import { readResolved } from '../read/resolved-features.ts';
import { IssueCounts } from './issue-counts.ts';
import { type LayerSummary, SummaryBuilder } from './layer-summary.ts';
import { RecordSorter } from './tile-records.ts';
import { mercatorShapes, tilesOf } from './tile-shape.ts';
import { foreseenOutputs, plannedOutputs, type VectorFeature, vectorFeatures } from './vector-features.ts';
import { DETAILED_ZOOM, propertiesOf, type VectorProperties } from './vector-properties.ts';
import { writeVectorPackage } from './write-package.ts';

/** What a part says of an output: the file with its records, and what metadata tells. */
export interface VectorPartData {
  file: string;
  summary: LayerSummary;
}

export const vectorMaker: PartMaker = {
  name: 'mvt',
  version: 6,
  partOptions: ['lods', 'slim'],
  plan: (gml, options) => plannedOutputs(gml).filter(({ lod }) => isAsked(lod, options.lods)),
  foresee: (gml, options, content) =>
    foreseenOutputs(gml, content).filter(({ lod }) => isAsked(lod, options.lods)),
  makePart,
  join: (key, parts, sink, context) => writeVectorPackage(key, sourcesOf(key, parts), sink, context),
};

function isAsked(lod: number | null, lods: readonly number[] | null): boolean {
  return lods === null || lod === null || lods.includes(lod);
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
 * Tiles of all zooms that the features of one file may be in: so many, and some for each byte of its text, so that a small file with a wrong
 * corner does not fill the disk. A district of 47 km takes 8,000, and all features of its file come to 0.11 for each byte.
 */
const MOST_TILES = 20_000;
const TILES_PER_BYTE = 0.25;

/** An output of one part while it grows. */
interface Growing {
  key: OutputKey;
  sorter: RecordSorter;
  summary: SummaryBuilder;
  file: string;
}

async function makePart(
  gml: GmlSource,
  directory: string,
  context: PartContext,
): Promise<readonly PartOutput[]> {
  const outputs = new Map<string, Growing>();
  const labels = new GmlCodeLabels(gml);
  const issues = new IssueCounts(gml.path, context.issue);
  const left = { tiles: MOST_TILES + Math.ceil(gml.size * TILES_PER_BYTE) };
  await mkdir(context.scratch, { recursive: true });
  for await (const item of readResolved(gml, context)) {
    if (item.kind === 'appearance') continue;
    const fallbackId = `${gml.path}#${item.number}`;
    if (item.kind === 'large') {
      issues.add('FEATURE_TOO_LARGE', fallbackId);
      continue;
    }
    const { srsName } = item.defaults;
    if (srsName !== null && crsOf(srsName) === null) {
      issues.add('CRS_UNKNOWN', gmlIdOf(item.element) ?? fallbackId);
      continue;
    }
    if (systemsOf(item.element).unknown.length > 0)
      issues.add('CRS_UNKNOWN', gmlIdOf(item.element) ?? fallbackId);
    const id = gmlIdOf(item.element) ?? fallbackId;
    const features = vectorFeatures(item.element, {
      ...{ defaults: item.defaults, gml, elsewhere: item.elsewhere },
      onImplausible(code, count) {
        if (code !== 'HEIGHT_IMPLAUSIBLE') issues.add(code, id, count);
      },
    }).filter(({ key }) => isAsked(key.lod, context.options.lods));
    for (const feature of features) {
      context.signal.throwIfAborted();
      const { slim } = context.options;
      const source = { gml, labels, defaults: item.defaults, fallbackId, slim };
      const properties = await propertiesOf(feature.element, item.element, source);
      const growing = outputOf(outputs, feature.key, context.scratch);
      await addFeature(growing, feature, properties, { issues, left });
    }
  }
  issues.report();
  const made: PartOutput[] = [];
  for (const { key, sorter, summary, file } of outputs.values()) {
    // An output without a feature has no bounds either.
    if (summary.features === 0) continue;
    await sorter.finish(join(directory, file));
    const data: VectorPartData = { file, summary: summary.result() };
    made.push({ key, features: summary.features, data });
  }
  return made;
}

function outputOf(outputs: Map<string, Growing>, key: OutputKey, scratch: string): Growing {
  const name = outputSuffix(key);
  let growing = outputs.get(name);
  if (growing === undefined) {
    const file = `${name.replaceAll(/[^\w.-]/g, '_')}.tiles`;
    growing = { key, sorter: new RecordSorter(scratch, file), summary: new SummaryBuilder(), file };
    outputs.set(name, growing);
  }
  return growing;
}

async function addFeature(
  { sorter, summary }: Growing,
  { layer, footprint }: VectorFeature,
  properties: VectorProperties,
  { issues, left }: { issues: IssueCounts; left: { tiles: number } },
): Promise<void> {
  const shapes = mercatorShapes(footprint);
  let [isDrawn, hasMore] = [false, false];
  for (let zoom = MIN_ZOOM; zoom <= MAX_ZOOM; zoom++) {
    for (const shape of shapes) {
      const tiles = tilesOf(shape, zoom, zoom === MAX_ZOOM, left.tiles);
      if (tiles === null) {
        hasMore = true;
        continue;
      }
      left.tiles -= tiles.length;
      for (const { x, y, commands, weight } of tiles) {
        isDrawn = true;
        await sorter.add({
          tile: zxyToTileId(zoom, x, y),
          id: properties.id,
          weight,
          type: shape.type,
          layer,
          properties: zoom >= DETAILED_ZOOM ? properties.detailed : properties.coarse,
          commands,
        });
      }
    }
  }
  if (hasMore) issues.add('TILES_TOO_MANY', properties.gmlId);
  if (isDrawn) summary.add(layer, footprint, properties.fields);
  else if (!hasMore) issues.add('SHAPE_TOO_SMALL', properties.gmlId);
}
