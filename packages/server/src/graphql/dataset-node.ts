/**
 * Datasets as front ends of this interface show them: one municipality or ward, feature type, part of it (a river, a
 * zone) and year; its formats, LODs, textures and flood scales are the items.
 */

import { factsOfFormat } from '@citymodel/base';
import { isMapSymbols } from '@citymodel/citygml';
import { type Bounds, boundsToArray, unionBounds } from '@citymodel/geo';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import { scaleName } from '../catalogue/names/part-names.ts';
import { bestPicture } from '../catalogue/rows/best-picture.ts';
import { specUrl } from '../catalogue/rows/dataset-rows.ts';
import type { Dataset } from '../catalogue/rows/snapshot-dataset.ts';
import type { AreaNode } from './area-node.ts';
import type { Part } from './dataset-part.ts';
import { searchable } from './search-text.ts';
import type { DatasetTypeNode, SpecMinorNode } from './spec-node.ts';

export class DatasetNode {
  readonly __typename = 'PlateauDataset';
  readonly id: string;
  /** The area that the data is of: a ward, a municipality, or a prefecture. */
  readonly area: AreaNode;
  readonly part: Part;
  readonly type: DatasetTypeNode;
  readonly plateauSpecMinor: SpecMinorNode;
  readonly year: number;
  readonly registrationYear: number;
  readonly items: DatasetItemNode[] = [];
  /** Place in the order of the catalogue. */
  place = 0;
  /** Place among the parts of its type in its area, from 1; null where the type is not divided. */
  suborder: number | null = null;
  readonly #first: Dataset;
  #name: string | null = null;
  #words: string | null = null;

  constructor(
    id: string,
    area: AreaNode,
    part: Part,
    spec: { type: DatasetTypeNode; minor: SpecMinorNode },
    sources: readonly [Dataset, ...Dataset[]],
  ) {
    this.id = id;
    this.area = area;
    this.part = part;
    this.type = spec.type;
    this.plateauSpecMinor = spec.minor;
    this.#first = sources[0];
    this.year = this.#first.package.year;
    this.registrationYear = Math.max(...sources.map((source) => source.package.registrationYear));
  }

  get name(): string {
    this.#name ??= `${this.type.name}${this.subname === null ? '' : ` ${this.subname}`}（${this.area.name}）`;
    return this.#name;
  }

  /** Map symbols inside of features, which lists have for those who ask. */
  get isMapSymbols(): boolean {
    return isMapSymbols(this.#first.summary.sub);
  }

  get subname(): string | null {
    return this.part.name;
  }

  get subcode(): string | null {
    return this.part.code === '' ? null : this.part.code;
  }

  get description(): string {
    const title = `${this.area.fullName}の${this.type.name}${this.subname === null ? '' : `（${this.subname}）`}`;
    const license = this.license === null ? '' : `ライセンス: ${this.license}`;
    return `${title}。${this.year}年度整備、製品仕様書${this.plateauSpecMinor.name}準拠。${license}`;
  }

  /** The spelling that clients of this interface know. */
  get registerationYear(): number {
    return this.registrationYear;
  }

  get license(): string | null {
    return this.#first.package.license;
  }

  get prefecture(): AreaNode {
    return this.area.prefecture;
  }

  get prefectureId(): string {
    return this.area.prefecture.id;
  }

  get prefectureCode(): string {
    return this.area.prefecture.code;
  }

  get city(): AreaNode | null {
    return this.area.city;
  }

  get cityId(): string | null {
    return this.area.cityId;
  }

  get cityCode(): string | null {
    return this.area.cityCode;
  }

  get ward(): AreaNode | null {
    return this.area.type === 'WARD' ? this.area : null;
  }

  get wardId(): string | null {
    return this.ward?.id ?? null;
  }

  get wardCode(): string | null {
    return this.ward?.code ?? null;
  }

  get typeId(): string {
    return this.type.id;
  }

  get typeCode(): string {
    return this.type.code;
  }

  get plateauSpecMinorId(): string {
    return this.plateauSpecMinor.id;
  }

  get river(): { name: string; admin: 'NATIONAL' | 'PREFECTURE' } | null {
    return this.part.river;
  }

  get bbox(): readonly number[] | null {
    let bounds: Bounds | null = null;
    for (const item of this.items) bounds = unionBounds(bounds, item.source.package.bounds);
    return bounds === null ? this.area.bbox : boundsToArray(bounds);
  }

  /** True for data made for augmented reality, which packages do not tell. */
  get ar(): boolean {
    return false;
  }

  /**
   * Groups, the link to an open-data page and notes for administrators are kept by other catalogues, not by packages.
   */
  get groups(): null {
    return null;
  }

  get openDataUrl(): null {
    return null;
  }

  get admin(): null {
    return null;
  }

  /** That of the item that shows most. */
  get pictureUrl(): string | null {
    const drawn = bestPicture(this.items.map(({ source }) => source.package));
    return this.items.find(({ source }) => source.package === drawn)?.pictureUrl ?? null;
  }

  /** What search tokens are looked for in. */
  get words(): string {
    const { type, subname, subcode } = this;
    this.#words ??= searchable([this.area.words, type.name, type.code, subname, subcode].join(' '));
    return this.#words;
  }
}

export class DatasetItemNode {
  readonly __typename = 'PlateauDatasetItem';
  readonly id: string;
  readonly name: string;
  readonly parent: DatasetNode;
  readonly source: Dataset;
  readonly #urls: AssetUrls;
  #url: string | null = null;

  constructor(id: string, name: string, parent: DatasetNode, source: Dataset, urls: AssetUrls) {
    this.id = id;
    this.name = name;
    this.parent = parent;
    this.source = source;
    this.#urls = urls;
  }

  get parentId(): string {
    return this.parent.id;
  }

  get format(): string {
    return factsOfFormat(this.source.summary.format).graphql;
  }

  get url(): string {
    this.#url ??= this.#urls.member(this.source.package, this.source.summary.entry);
    return this.#url;
  }

  get compositeUrl(): string | null {
    return this.#specUrl(this.source.spec);
  }

  get latestUrl(): string | null {
    return this.#specUrl(this.source.latestSpec);
  }

  get pictureUrl(): string | null {
    return this.#urls.picture(this.source.package, 'light', 'small');
  }

  #specUrl(spec: string | null): string | null {
    return spec === null ? null : specUrl(this.source, spec, this.#urls);
  }

  get layers(): string[] | null {
    const { format, vectorLayers } = this.source.summary;
    return factsOfFormat(format).hasLayers ? (vectorLayers?.map((layer) => layer.id) ?? null) : null;
  }

  get lod(): number {
    return this.source.lod;
  }

  get lodEx(): number | null {
    return this.source.summary.lodEx;
  }

  get texture(): 'TEXTURE' | 'NONE' | null {
    const { format, texture } = this.source.summary;
    return !factsOfFormat(format).isTextured ? null : texture ? 'TEXTURE' : 'NONE';
  }

  get floodingScale(): 'PLANNED' | 'EXPECTED_MAXIMUM' | null {
    const scale = this.source.summary.sub?.scale ?? null;
    return scale === null ? null : scale === 'l1' ? 'PLANNED' : 'EXPECTED_MAXIMUM';
  }

  get floodingScaleSuffix(): string | null {
    return this.source.summary.sub?.scaleSuffix ?? null;
  }

  /** Bytes of the package as a zip. */
  get fileSize(): number {
    return this.source.package.archiveSize;
  }

  get formatVersion(): string | null {
    return this.source.summary.formatVersion;
  }
}

/** What tells an item from the others of its dataset: `LOD2（テクスチャなし）`, `想定最大規模`. */
export function itemName(source: Dataset, siblings: readonly Dataset[]): string {
  const { summary } = source;
  const others = siblings.filter((other) => other !== source);
  let name: string;
  if (summary.sub?.scale != null) {
    name = scaleName(summary.sub);
  } else if (summary.lod === null) {
    name = summary.format;
  } else {
    name =
      summary.lodEx === null
        ? `LOD${summary.lod}`
        : `LOD${Math.floor(summary.lodEx / 10)}.${summary.lodEx % 10}`;
  }
  const notes: string[] = [];
  if (summary.lod !== null && others.some((other) => other.summary.format !== summary.format))
    notes.push(summary.format);
  if (isUntextured(source, others)) notes.push('テクスチャなし');
  return notes.length === 0 ? name : `${name}（${notes.join('、')}）`;
}

/** Where textures are to be expected: the package's name says that it has none, or a sibling has some. */
function isUntextured({ summary, package: row }: Dataset, others: readonly Dataset[]): boolean {
  if (!factsOfFormat(summary.format).isTextured || summary.texture) return false;
  return row.name.includes('_no_texture') || others.some((other) => other.summary.texture);
}
