/** What a package is, from everything that was read of it: names, licence, versions, types, LODs, tile facts. */

import { type IssueSink, OUTPUT_KINDS, type OutputKind, type PackageFiles } from '@citymodel/base';
import { compareTypes, isListedType, isTexturedType, specOfIur } from '@citymodel/citygml';
import { type Bounds, regionBounds } from '@citymodel/geo';
import type { DatasetSummary, PackageRow } from '@citymodel/store';
import { DocumentTooLarge, inspectMvt, inspectTileset, type TilesetFacts } from '@citymodel/tiles';
import { compareVersions } from '../base/compare-versions.ts';
import type { Area } from '../catalogue/names/areas.ts';
import type { BuiltArchive } from './build-archive.ts';
import { fiscalYear } from './fiscal-year.ts';
import { type Identity, nameAreas, type Overrides } from './identify.ts';
import type { PackageLayout } from './layout.ts';
import { readPackageMetadata } from './metadata.ts';
import { metadataZips } from './metadata-zips.ts';
import { readPartNames } from './part-names.ts';
import type { Standing } from './standing.ts';
import { OverBudget, PackageRefused } from './upload.ts';

export interface Description
  extends Pick<
    PackageRow,
    | 'pref'
    | 'city'
    | 'ward'
    | 'areaNames'
    | 'partNames'
    | 'registrationYear'
    | 'spec'
    | 'types'
    | 'bounds'
    | 'license'
    | 'guessed'
    | 'metadataZips'
    | 'features'
    | 'files'
    | 'dataset'
  > {
  /** Areas that the package's code list has and the built-in table lacks. */
  areas: Area[];
}

export interface DescribeOptions {
  overrides: Overrides;
  now: Date;
  issue: IssueSink;
  /** Asked for the CityGML that tiles were made from. */
  standing: Pick<Standing, 'source' | 'highestLodOfSource'>;
}

/** Describes a package from what was read of it. Throws PackageRefused for tiles without an entry. */
export async function describe(
  identity: Identity,
  layout: PackageLayout,
  built: Pick<BuiltArchive, 'files' | 'types' | 'bounds' | 'index' | 'features' | 'gmlFiles' | 'iurVersions'>,
  options: DescribeOptions,
): Promise<Description> {
  const { overrides } = options;
  const { files } = built;
  const metadata = await readPackageMetadata(files);
  const source = await options.standing.source();
  const names = nameAreas(
    identity,
    source === null ? metadata.authorities : authoritiesOf(source),
    overrides,
    options.issue,
  );
  const guessed = [...names.guessed];
  const spec = overrides.spec ?? metadata.spec ?? specOfVersions(built.iurVersions) ?? source?.spec ?? null;
  const specKnown = metadata.spec !== null || (source !== null && !source.guessed.includes('spec'));
  if (overrides.spec === undefined && !specKnown) guessed.push('spec');
  if (overrides.registrationYear === undefined) guessed.push('registrationYear');
  const common = {
    pref: names.pref,
    city: names.city,
    ward: names.ward,
    areaNames: Object.fromEntries(names.known.map(({ code, name }) => [code, name])),
    areas: names.known,
    registrationYear: overrides.registrationYear ?? fiscalYear(options.now),
    spec: spec ?? specOfYear(identity.year),
    license: overrides.license ?? metadata.license ?? source?.license ?? null,
  };
  if (layout.kind === 'citygml') {
    return {
      ...common,
      guessed,
      partNames: await readPartNames(files),
      types: [...built.types].sort(compareTypes),
      bounds: built.bounds,
      metadataZips: await metadataZips(built.index),
      features: built.features,
      files: built.gmlFiles.count,
      dataset: null,
    };
  }
  const { dataset, bounds, tiles } = await describeTiles(layout.kind, identity, files, options, guessed);
  return {
    ...common,
    guessed,
    partNames: {},
    types: [dataset.type],
    bounds,
    metadataZips: [],
    features: 0,
    files: tiles,
    dataset,
  };
}

/** What is known of tiles before their files are looked into. */
interface TilesToDescribe {
  identity: Identity;
  files: PackageFiles;
  options: DescribeOptions;
  common: Pick<DatasetSummary, 'sub' | 'lodNamed' | 'lodEx' | 'interior'>;
  /** The type of the name, else one that names of the data hint at. */
  typed(hints: Iterable<string>): string;
  /** The LOD of the name, else that of the data, else the highest of the source. */
  levelled(hint: number | null, type: string): Promise<number | null>;
}

interface DescribedTiles {
  dataset: DatasetSummary;
  bounds: Bounds | null;
  tiles: number;
}

/** How packages of each kind are looked into. */
const DESCRIBE: Record<OutputKind, (wanted: TilesToDescribe) => Promise<DescribedTiles>> = {
  '3dtiles': describeTileset,
  mvt: describeVectorTiles,
};

async function describeTiles(
  kind: OutputKind,
  identity: Identity,
  files: PackageFiles,
  options: DescribeOptions,
  guessed: string[],
): Promise<DescribedTiles> {
  const tiles = identity.tiles!;
  return await DESCRIBE[kind]({
    identity,
    files,
    options,
    common: {
      sub: tiles.sub,
      lodNamed: tiles.lod !== null,
      lodEx: tiles.lodEx,
      interior: tiles.interior ? true : null,
    },
    typed(hints) {
      if (tiles.type !== null) return tiles.type;
      guessed.push('type');
      return typeOfNames(hints) ?? 'gen';
    },
    async levelled(hint, type) {
      if (tiles.lod !== null) return tiles.lod;
      guessed.push('lod');
      return hint ?? (await options.standing.highestLodOfSource(type));
    },
  });
}

async function describeTileset(wanted: TilesToDescribe): Promise<DescribedTiles> {
  const { identity, files, options } = wanted;
  const tiles = identity.tiles!;
  const facts = await inspectTileset(files, options.issue).catch(refuseTooLarge);
  if (facts === null) {
    throw new PackageRefused(
      'NO_TILESET',
      `${identity.name} has no tileset.json that can be read as the entry of a 3D Tiles set.`,
    );
  }
  if (facts.foreign !== null) {
    const { member, uri } = facts.foreign;
    throw new PackageRefused(
      'FOREIGN_CONTENT',
      `${member} refers to ${JSON.stringify(uri)}, which viewers would fetch from another host or run; tilesets ` +
        `refer to files of the package alone.`,
    );
  }
  const type = wanted.typed(facts.properties);
  const lod = lodOf(tiles, facts, options);
  return {
    bounds: facts.region === null ? null : regionBounds(facts.region),
    tiles: facts.present,
    dataset: {
      ...wanted.common,
      lodEx: lod === tiles.lod ? tiles.lodEx : null,
      format: OUTPUT_KINDS['3dtiles'].format,
      type,
      lod: lod ?? (await wanted.levelled(facts.lod, type)),
      texture: options.overrides.texture ?? textureOf(identity, { type, lod }, facts, options.issue),
      formatVersion: facts.version,
      entry: facts.entry,
      boundingVolume: facts.tightVolume ?? facts.volume,
      geometricError: facts.geometricError,
      region: facts.region,
      ...(facts.heights === null ? {} : { heights: facts.heights }),
      vectorLayers: null,
      minzoom: null,
      maxzoom: null,
    },
  };
}

async function describeVectorTiles(wanted: TilesToDescribe): Promise<DescribedTiles> {
  const facts = await inspectMvt(wanted.files, wanted.options.issue).catch(refuseTooLarge);
  if (facts === null) {
    throw new PackageRefused(
      'NO_TILES',
      `${wanted.identity.name} has no vector tile {z}/{x}/{y}.mvt that can be read.`,
    );
  }
  const type = wanted.typed(facts.vectorLayers.flatMap((layer) => Object.keys(layer.fields)));
  return {
    bounds: facts.bounds,
    tiles: facts.tiles,
    dataset: {
      ...wanted.common,
      format: OUTPUT_KINDS.mvt.format,
      type,
      lod: await wanted.levelled(null, type),
      texture: false,
      formatVersion: null,
      entry: facts.template,
      boundingVolume: null,
      geometricError: null,
      region: null,
      vectorLayers: facts.vectorLayers,
      minzoom: facts.minzoom,
      maxzoom: facts.maxzoom,
    },
  };
}

function refuseTooLarge(error: unknown): never {
  if (error instanceof DocumentTooLarge) throw new OverBudget(error.member, error.message);
  throw error;
}

/** Area names as the code list of the source package has them, by code. */
function authoritiesOf(source: PackageRow): Map<string, string> {
  const names = new Map(Object.entries(source.areaNames));
  if (!source.guessed.includes('city')) names.set(source.cityCode, source.city);
  return names;
}

function specOfVersions(versions: readonly string[]): string | null {
  const highest = [...versions].sort(compareVersions).at(-1);
  return highest === undefined ? null : specOfIur(highest);
}

/** The version that data of a year was made by: a new major version came with each year from 2020 but 2022. */
export function specOfYear(year: number): string {
  if (year <= 2020) return '1.0';
  return year <= 2022 ? '2.0' : `${Math.min(year - 2020, 5)}.0`;
}

/**
 * The LOD of tiles whose name says one: that which their batch tables name, as far as they were looked into; null where
 * the name says none, and something else has to tell. The operator's word stands over both.
 */
function lodOf(
  { lod: named }: NonNullable<Identity['tiles']>,
  { lod: found, lookedAtAll }: TilesetFacts,
  { overrides, issue }: DescribeOptions,
): number | null {
  if (named === null || overrides.lod !== undefined || found === null || found === named) return named;
  // What was not looked into may have a higher one.
  if (found < named && !lookedAtAll) return named;
  issue({
    code: 'LOD_DIFFERS',
    severity: 'warning',
    member: null,
    message: `The name says LOD ${named}; the highest LOD that the tiles name is ${found}, which the catalogue has.`,
  });
  return found;
}

/** Whether 3D Tiles are textured: as their contents show, and where none of them tells, as the name says. */
function textureOf(
  identity: Identity,
  { type, lod }: { type: string; lod: number | null },
  { textured, lookedAtAll }: TilesetFacts,
  issue: IssueSink,
): boolean {
  // A name that follows no rules says nothing.
  const isNamed = !identity.guessed.includes('name');
  const named = isNamed && isTexturedType(type) && !identity.tiles!.noTexture;
  if (textured === null) return named;
  // Names of LOD 1 leave it open: there are no two variants of it.
  const isOpen = named && (lod ?? 2) < 2;
  if (isNamed && textured !== named && !isOpen) {
    const seen = textured ? 'have images' : `${lookedAtAll ? 'have' : 'that were looked into have'} no image`;
    issue({
      code: 'TEXTURE_DIFFERS',
      severity: 'info',
      member: null,
      message:
        `The name says that the tiles are ${named ? 'textured' : 'not textured'}; the tiles ${seen}, and so ` +
        `the catalogue says.`,
    });
  }
  return textured;
}

/** The feature type whose prefix most property names carry, such as `tran:function` or `tran_function`. */
function typeOfNames(names: Iterable<string>): string | null {
  const counts = new Map<string, number>();
  for (const name of names) {
    const prefix = /^([a-z]+)[:_]/.exec(name)?.[1];
    if (prefix !== undefined && isListedType(prefix)) counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
  }
  let best: string | null = null;
  for (const [prefix, count] of counts) if (best === null || count > counts.get(best)!) best = prefix;
  return best;
}
