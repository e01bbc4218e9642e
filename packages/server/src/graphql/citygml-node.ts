/** A CityGML package as GraphQL sees it. */

import { boundsToArray } from '@citymodel/geo';
import type { PackageQuality, PackageRow } from '@citymodel/store';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import { areaOf } from '../catalogue/rows/citygml-rows.ts';
import type { AreaNode } from './area-node.ts';
import type { SpecMinorNode } from './spec-node.ts';

export class CityGmlNode {
  readonly __typename = 'CityGMLDataset';
  readonly id: string;
  readonly row: PackageRow;
  readonly prefecture: AreaNode;
  /** The municipality; for a prefecture's own package a stand-in of the prefecture's name and code. */
  readonly city: AreaNode;
  readonly plateauSpecMinor: SpecMinorNode;
  readonly #urls: AssetUrls;

  constructor(
    id: string,
    row: PackageRow,
    places: { prefecture: AreaNode; city: AreaNode },
    spec: SpecMinorNode,
    urls: AssetUrls,
  ) {
    this.id = `cg_${id}`;
    this.row = row;
    this.prefecture = places.prefecture;
    this.city = places.city;
    this.plateauSpecMinor = spec;
    this.#urls = urls;
  }

  /** Ward code where the package is one ward's, else the municipality's or the prefecture's. */
  get areaCode(): string {
    return areaOf(this.row);
  }

  get year(): number {
    return this.row.year;
  }

  get registrationYear(): number {
    return this.row.registrationYear;
  }

  get prefectureId(): string {
    return this.prefecture.id;
  }

  get prefectureCode(): string {
    return this.prefecture.code;
  }

  get cityId(): string {
    return this.city.id;
  }

  get cityCode(): string {
    return this.city.code;
  }

  get plateauSpecMinorId(): string {
    return this.plateauSpecMinor.id;
  }

  get url(): string {
    return this.#urls.archive(this.row);
  }

  get compositeUrl(): string {
    return this.#urls.cityZip(`${this.areaCode}-${this.row.year}`);
  }

  get fileSize(): number {
    return this.row.archiveSize;
  }

  get featureTypes(): readonly string[] {
    return this.row.types;
  }

  get metadataZipUrls(): string[] {
    return this.row.metadataZips.map(({ directory }) => this.#urls.metadataZip(this.row, directory));
  }

  get tables(): object[] | null {
    const { row } = this;
    if (row.tables === undefined) return null;
    return row.tables.map(({ type, features, size, sha256 }) => ({
      type,
      parquetUrl: this.#urls.table(row, type),
      features,
      fileSize: size,
      sha256,
    }));
  }

  get license(): string | null {
    return this.row.license;
  }

  get quality(): PackageQuality | null {
    return this.row.quality ?? null;
  }

  get bbox(): readonly number[] | null {
    return this.row.bounds === null ? null : boundsToArray(this.row.bounds);
  }

  /** What only administrators of a catalogue need; nothing is kept from others here. */
  get admin(): null {
    return null;
  }
}
