/**
 * The catalogue as objects that refer to each other, made once from a snapshot: what GraphQL queries walk over. Like
 * the snapshot it never changes: a request sees one state of the catalogue from beginning to end. No query touches the
 * database.
 */

import { setImmediate } from 'node:timers/promises';
import { compareTexts, factsOfFormat, kindOfFormat, Slices, TILE_FORMATS } from '@citymodel/base';
import { compareTypes } from '@citymodel/citygml';
import { compareVersions } from '../base/compare-versions.ts';
import { DocumentCache } from '../base/generated-document.ts';
import { isSpecialWard, membersOf, SPECIAL_WARDS_CODE } from '../catalogue/names/areas.ts';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import { withIds } from '../catalogue/rows/citygml-rows.ts';
import { byPreference, type Dataset } from '../catalogue/rows/snapshot-dataset.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';
import { AreaNode, compareAreas } from './area-node.ts';
import { AreaTree } from './area-tree.ts';
import { CityGmlNode } from './citygml-node.ts';
import { DatasetItemNode, DatasetNode, itemName } from './dataset-node.ts';
import { partOf } from './dataset-part.ts';
import { DatasetTypeNode, majorOf, SpecMinorNode, SpecNode } from './spec-node.ts';

/** Anything that has an id. */
export type GraphNode =
  | AreaNode
  | DatasetNode
  | DatasetItemNode
  | DatasetTypeNode
  | SpecNode
  | SpecMinorNode
  | CityGmlNode;

/** Bytes of answers that one graph keeps. */
const ANSWER_BYTES = 32 * 1024 * 1024;

/** What a graph is made of, in the order of its lists. */
interface GraphParts {
  areas: AreaTree;
  datasets: readonly DatasetNode[];
  everyDataset: readonly DatasetNode[];
  datasetsByCode: ReadonlyMap<string, readonly DatasetNode[]>;
  /** The same with map symbols. */
  everyByCode: ReadonlyMap<string, readonly DatasetNode[]>;
  specs: readonly SpecNode[];
  cityGml: readonly CityGmlNode[];
  years: readonly number[];
  nodes: ReadonlyMap<string, GraphNode>;
}

export class CatalogueGraph {
  readonly areas: AreaTree;
  /** By area code, type, newest year, part; without map symbols. */
  readonly datasets: readonly DatasetNode[];
  /** The same with map symbols. */
  readonly everyDataset: readonly DatasetNode[];
  /** By edition and type. */
  readonly datasetTypes: readonly DatasetTypeNode[];
  readonly specs: readonly SpecNode[];
  /** By area code, newest first. */
  readonly cityGml: readonly CityGmlNode[];
  /** Years of production of datasets and CityGML, newest first. */
  readonly years: readonly number[];
  /** Answers to queries over this graph. */
  readonly answers = new DocumentCache(ANSWER_BYTES);
  readonly #nodes: ReadonlyMap<string, GraphNode>;
  readonly #datasetsByCode: ReadonlyMap<string, readonly DatasetNode[]>;
  readonly #everyByCode: ReadonlyMap<string, readonly DatasetNode[]>;
  /** Datasets by type and by edition. */
  readonly #datasetsBySpec = new Map<DatasetTypeNode | SpecMinorNode, DatasetNode[]>();

  constructor(parts: GraphParts) {
    this.areas = parts.areas;
    this.datasets = parts.datasets;
    this.everyDataset = parts.everyDataset;
    this.datasetTypes = parts.specs.flatMap((spec) => spec.datasetTypes);
    this.specs = parts.specs;
    this.cityGml = parts.cityGml;
    this.years = parts.years;
    this.#nodes = parts.nodes;
    this.#datasetsByCode = parts.datasetsByCode;
    this.#everyByCode = parts.everyByCode;
    for (const dataset of parts.datasets) {
      for (const spec of [dataset.type, dataset.plateauSpecMinor]) {
        const datasets = this.#datasetsBySpec.get(spec);
        if (datasets === undefined) this.#datasetsBySpec.set(spec, [dataset]);
        else datasets.push(dataset);
      }
    }
  }

  node(id: string): GraphNode | null {
    return this.#nodes.get(id) ?? null;
  }

  /**
   * Datasets that a code covers: a prefecture's with all below it, a city's with its wards', 13100 with the special
   * wards'.
   */
  datasetsOf(code: string, withMapSymbols = false): readonly DatasetNode[] {
    return (withMapSymbols ? this.#everyByCode : this.#datasetsByCode).get(code) ?? [];
  }

  /** Datasets of an area and of those below it. The stand-in of a prefecture has none: they are the prefecture's. */
  datasetsIn(area: AreaNode, withMapSymbols = false): readonly DatasetNode[] {
    return this.areas.byId(area.id) === undefined ? [] : this.datasetsOf(area.code, withMapSymbols);
  }

  /** Datasets of a type, or those that follow an edition. */
  datasetsBy(spec: DatasetTypeNode | SpecMinorNode): readonly DatasetNode[] {
    return this.#datasetsBySpec.get(spec) ?? [];
  }
}

/** Builds the graph of a snapshot; `pause` lets other work run and is awaited every few milliseconds. */
export async function buildGraph(
  snapshot: Snapshot,
  urls: AssetUrls,
  { pause }: { pause(): Promise<void> },
): Promise<CatalogueGraph> {
  const slices = new Slices(pause);
  const areas = new AreaTree(snapshot);
  await slices.pause();
  const register = new SpecRegister();
  const everyDataset = await makeDatasets(snapshot, urls, areas, register, slices);
  const hasSymbols = snapshot.mapSymbols.length > 0;
  const datasets = hasSymbols ? everyDataset.filter((dataset) => !dataset.isMapSymbols) : everyDataset;
  const datasetsByCode = await groupByCode(datasets, slices);
  const everyByCode = hasSymbols ? await groupByCode(everyDataset, slices) : datasetsByCode;
  const cityGml = makeCityGml(snapshot, urls, areas, register);
  const specs = register.sorted();
  const years = [...new Set(snapshot.packages.map((row) => row.year))].sort((a, b) => b - a);
  const nodes = new Map<string, GraphNode>();
  for (const node of [...areas.all, ...cityGml]) nodes.set(node.id, node);
  // The stand-ins of prefectures are in no list of areas, but their ids are given out.
  for (const { city } of cityGml) nodes.set(city.id, city);
  for (const spec of specs) {
    for (const node of [spec, ...spec.minorVersions, ...spec.datasetTypes]) nodes.set(node.id, node);
  }
  for (const dataset of everyDataset) {
    nodes.set(dataset.id, dataset);
    for (const item of dataset.items) nodes.set(item.id, item);
    if (slices.due()) await slices.pause();
  }
  const lists = { datasets, everyDataset, datasetsByCode, everyByCode };
  return new CatalogueGraph({ areas, ...lists, specs, cityGml, years, nodes });
}

const graphs = new WeakMap<Snapshot, Promise<CatalogueGraph>>();

/** The graph of a snapshot, made once beside other work, when it is first asked for. */
export function graphOf(snapshot: Snapshot, urls: AssetUrls): Promise<CatalogueGraph> {
  let graph = graphs.get(snapshot);
  if (graph === undefined) {
    graph = buildGraph(snapshot, urls, { pause: setImmediate });
    graphs.set(snapshot, graph);
  }
  return graph;
}

/** Editions and types as packages name them, each once. */
class SpecRegister {
  readonly #specs = new Map<number, SpecNode>();
  readonly #minors = new Map<string, SpecMinorNode>();
  readonly #types = new Map<string, DatasetTypeNode>();

  minor(version: string, year: number): SpecMinorNode {
    let minor = this.#minors.get(version);
    if (minor === undefined) {
      minor = new SpecMinorNode(version, this.#spec(majorOf(version)));
      minor.parent.minorVersions.push(minor);
      this.#minors.set(version, minor);
    }
    minor.year = Math.min(minor.year, year);
    minor.parent.year = Math.min(minor.parent.year, year);
    return minor;
  }

  type(code: string, spec: SpecNode): DatasetTypeNode {
    const key = `${code}/${spec.majorVersion}`;
    let type = this.#types.get(key);
    if (type === undefined) {
      type = new DatasetTypeNode(code, spec);
      spec.datasetTypes.push(type);
      this.#types.set(key, type);
    }
    return type;
  }

  sorted(): SpecNode[] {
    const specs = [...this.#specs.values()].sort((a, b) => a.majorVersion - b.majorVersion);
    for (const spec of specs) {
      spec.minorVersions.sort((a, b) => compareVersions(a.version, b.version));
      spec.datasetTypes.sort((a, b) => compareTypes(a.code, b.code));
    }
    return specs;
  }

  #spec(majorVersion: number): SpecNode {
    let spec = this.#specs.get(majorVersion);
    if (spec === undefined) {
      spec = new SpecNode(majorVersion);
      this.#specs.set(majorVersion, spec);
    }
    return spec;
  }
}

async function makeDatasets(
  snapshot: Snapshot,
  urls: AssetUrls,
  areas: AreaTree,
  specs: SpecRegister,
  slices: Slices,
): Promise<DatasetNode[]> {
  const groups = new Map<string, [Dataset, ...Dataset[]]>();
  for (const dataset of [...snapshot.datasets, ...snapshot.mapSymbols]) {
    const row = dataset.package;
    const key = `${areas.ofRow(row).id}/${dataset.summary.type}/${partOf(dataset).code}/${row.year}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [dataset]);
    else group.push(dataset);
    if (slices.due()) await slices.pause();
  }
  const usedIds = new Set<string>();
  const nodes: DatasetNode[] = [];
  for (const group of groups.values()) {
    group.sort(compareItems);
    const [first] = group;
    const row = first.package;
    const area = areas.ofRow(row);
    const part = partOf(first);
    const name = [area.code, first.summary.type, part.code].filter((text) => text !== '').join('_');
    const minor = specs.minor(row.spec, row.year);
    const type = specs.type(first.summary.type, minor.parent);
    const id = unique(`d_${name}_${row.year}`, usedIds);
    const node = new DatasetNode(id, area, part, { type, minor }, group);
    for (const source of group) {
      const itemId = unique(itemIdOf(area, source), usedIds, source.package.provider);
      node.items.push(new DatasetItemNode(itemId, itemName(source, group), node, source, urls));
    }
    nodes.push(node);
    if (slices.due()) await slices.pause();
  }
  nodes.sort(compareDatasets);
  await slices.pause();
  for (const [place, node] of nodes.entries()) {
    node.place = place;
  }
  const [symbols, others] = [true, false].map((wanted) =>
    nodes.filter(({ isMapSymbols }) => isMapSymbols === wanted),
  );
  numberParts(others!);
  numberParts(symbols!);
  return nodes;
}

/** Parts of one type, area and year, numbered from 1 in their order. */
function numberParts(nodes: readonly DatasetNode[]): void {
  let before: DatasetNode | null = null;
  let order = 0;
  for (const node of nodes) {
    const together =
      before !== null &&
      before.area === node.area &&
      before.typeCode === node.typeCode &&
      before.year === node.year;
    order = together ? order + 1 : 1;
    if (node.part.code !== '') node.suborder = order;
    before = node;
  }
}

function itemIdOf(area: AreaNode, { summary, package: row, interior, lod }: Dataset): string {
  const parts = [
    'di',
    area.code,
    summary.type,
    summary.sub?.code,
    interior ? 'interior' : null,
    row.year,
    kindOfFormat(summary.format),
    `lod${summary.lodEx ?? lod}`,
    factsOfFormat(summary.format).isTextured && !summary.texture ? 'no_texture' : null,
  ];
  return parts.filter((part) => part != null).join('_');
}

/** The id itself, else with the provider, else with a number. */
function unique(preferred: string, usedIds: Set<string>, provider = ''): string {
  let id = preferred;
  if (usedIds.has(id) && provider !== '') id = `${preferred}_${provider}`;
  const stem = id;
  for (let n = 2; usedIds.has(id); n++) id = `${stem}_${n}`;
  usedIds.add(id);
  return id;
}

function compareDatasets(a: DatasetNode, b: DatasetNode): number {
  return (
    (a.area === b.area ? 0 : compareAreas(a.area, b.area)) ||
    compareTypes(a.typeCode, b.typeCode) ||
    b.year - a.year ||
    compareTexts(a.part.code, b.part.code)
  );
}

/** Items: kinds in their order, flood scales and LODs upwards, textured before untextured. */
function compareItems(a: Dataset, b: Dataset): number {
  return (
    TILE_FORMATS.indexOf(a.summary.format) - TILE_FORMATS.indexOf(b.summary.format) ||
    compareTexts(a.sub, b.sub) ||
    a.lodRank - b.lodRank ||
    Number(b.summary.texture) - Number(a.summary.texture) ||
    byPreference(a, b)
  );
}

async function groupByCode(
  datasets: readonly DatasetNode[],
  slices: Slices,
): Promise<Map<string, DatasetNode[]>> {
  const groups = new Map<string, DatasetNode[]>();
  for (const dataset of datasets) {
    const codes = new Set<string>();
    for (let area: AreaNode | null = dataset.area; area !== null; area = area.parent) codes.add(area.code);
    if (isSpecialWard(dataset.area.code)) codes.add(SPECIAL_WARDS_CODE);
    for (const code of codes) {
      const group = groups.get(code);
      if (group === undefined) groups.set(code, [dataset]);
      else group.push(dataset);
    }
    if (slices.due()) await slices.pause();
  }
  return groups;
}

function makeCityGml(
  snapshot: Snapshot,
  urls: AssetUrls,
  areas: AreaTree,
  specs: SpecRegister,
): CityGmlNode[] {
  const nodes: CityGmlNode[] = [];
  const standIns = new Map<string, AreaNode>();
  for (const [, rows] of [...snapshot.cityGml].sort(([a], [b]) => compareTexts(a, b))) {
    for (const { row, id } of withIds(rows)) {
      const area = areas.ofRow(row);
      const { prefecture } = area;
      let city = area.city;
      if (city === null) {
        city = standIns.get(area.code) ?? new AreaNode('CITY', area.code, area.name, prefecture);
        city.bbox = area.bbox;
        standIns.set(area.code, city);
      }
      const spec = specs.minor(row.spec, row.year);
      const node = new CityGmlNode(id, row, { prefecture, city }, spec, urls);
      const owner = area.type === 'PREFECTURE' ? city : area;
      owner.citygmlId ??= node.id;
      nodes.push(node);
    }
  }
  return nodes;
}

/** CityGML of prefectures (2 digits), municipalities and wards; a designated city's code covers its wards. */
export function cityGmlIn(graph: CatalogueGraph, codes: readonly string[]): Set<CityGmlNode> {
  const areaCodes = new Set([...new Set(codes)].flatMap(membersOf));
  return new Set(
    graph.cityGml.filter((node) => areaCodes.has(node.areaCode) || areaCodes.has(node.cityCode)),
  );
}
