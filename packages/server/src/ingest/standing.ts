/** What the catalogue has of a package that comes: the only place where an ingestion asks it. */
import type { CatalogueStore, PackageRow } from '@citymodel/store';
import { compareRevisions, packageIdentity } from '../catalogue/names/package-name.ts';
import type { Identity } from './identify.ts';
import { type Ending, summaryOf } from './report.ts';
import { PackageRefused } from './upload.ts';

type Asked = Pick<CatalogueStore, 'findPackages' | 'gmlFiles' | 'issues'>;

/**
 * By what a package is recognised: what its upload lists (null where it tells no CRCs), then the id of what was read.
 */
export type Content = { uploadDigest: string | null } | { id: string };

/** The live package of an identity; null when there is none. */
export async function livePackage(
  catalogue: Pick<CatalogueStore, 'findPackages'>,
  identity: string,
): Promise<PackageRow | null> {
  return firstLive(await catalogue.findPackages({ identity }));
}

/** How a package stands to those that are live. */
export class Standing {
  /** Live package of the same identity. */
  readonly live: PackageRow | null;
  readonly #catalogue: Asked;
  readonly #identity: Identity;
  readonly #replace: boolean;
  #twin: PackageRow | null = null;
  #source: Promise<PackageRow | null> | null = null;

  private constructor(catalogue: Asked, identity: Identity, live: PackageRow | null, replace: boolean) {
    this.#catalogue = catalogue;
    this.#identity = identity;
    this.live = live;
    this.#replace = replace;
  }

  /** `replace`: it goes in whatever is live. */
  static async of(catalogue: Asked, identity: Identity, replace: boolean): Promise<Standing> {
    return new Standing(catalogue, identity, await livePackage(catalogue, identity.identity), replace);
  }

  /** The live packages whose place it takes. */
  get replaced(): PackageRow[] {
    return [this.live, this.#twin].filter((row) => row !== null);
  }

  /**
   * Compares the content with that of live packages; asked again with the id, once the content is read. Returns the
   * ending for a package that is live already. Throws PackageRefused for a revision or content that does not go beside
   * them.
   */
  async meet(content: Content): Promise<Ending | null> {
    const known = 'id' in content ? content : listedContent(content.uploadDigest);
    this.#twin = known === null ? null : await this.#twinOf(known);
    if (this.#replace) return null;
    if (this.live !== null && this.#isLive(content, this.live)) return this.#unchanged(this.live);
    if (this.live !== null) this.#compareRevisions(content, this.live);
    if (this.#twin !== null) throw otherIdentity(this.#identity, this.#twin);
    return null;
  }

  /**
   * The live CityGML package that tiles of this code and year were made from, if it is here: the ward's own, else the
   * city's.
   */
  source(): Promise<PackageRow | null> {
    this.#source ??= this.#findSource();
    return this.#source;
  }

  /** The highest LOD of the files of a type in the source; null when there is none. */
  async highestLodOfSource(type: string): Promise<number | null> {
    const source = await this.source();
    if (source === null) return null;
    const files = await this.#catalogue.gmlFiles({ packageNos: [source.no], types: [type] });
    return files.length === 0 ? null : files.reduce((highest, file) => Math.max(highest, file.maxLod), 0);
  }

  #isLive(content: Content, live: PackageRow): boolean {
    if ('id' in content) return live.id === content.id;
    return live.name === this.#identity.name && live.uploadDigest === content.uploadDigest;
  }

  #compareRevisions(content: Content, live: PackageRow): void {
    const order = compareRevisions(this.#identity.revision, live.revision);
    if (order < 0) throw olderRevision(this.#identity, live);
    // What an upload lists may differ where what is read of it does not.
    if (order === 0 && 'id' in content) throw sameRevision(this.#identity, live);
  }

  /** The live package of the same name and content whose code, provider or year the operator said otherwise. */
  async #twinOf(content: { id: string } | { uploadDigest: string }): Promise<PackageRow | null> {
    const { name, identity } = this.#identity;
    const rows = await this.#catalogue.findPackages({ ...content, name });
    return firstLive(rows.filter((row) => row.identity !== identity));
  }

  async #findSource(): Promise<PackageRow | null> {
    const { kind, code, provider, year, words, wardCode } = this.#identity;
    if (kind === 'citygml') return null;
    for (const ward of wardCode === null ? [null] : [wardCode, null]) {
      const parts = { kind: 'citygml' as const, code, provider, year, words, wardCode: ward, tiles: null };
      const live = await livePackage(this.#catalogue, packageIdentity(parts));
      if (live !== null) return live;
    }
    return null;
  }

  /** With the issues that its ingestion found. */
  async #unchanged(live: PackageRow): Promise<Ending> {
    return {
      outcome: 'unchanged',
      package: summaryOf(live),
      guessed: live.guessed,
      issues: await this.#catalogue.issues(live.no),
      issueCounts: live.issueCounts,
    };
  }
}

function firstLive(rows: readonly PackageRow[]): PackageRow | null {
  return rows.find((row) => row.state === 'live') ?? null;
}

function listedContent(uploadDigest: string | null): { uploadDigest: string } | null {
  return uploadDigest === null ? null : { uploadDigest };
}

function olderRevision(identity: Identity, live: PackageRow): PackageRefused {
  return new PackageRefused(
    'OLDER_REVISION',
    `${identity.name} is revision ${identity.revision}, but ${live.name} (revision ${live.revision}) is there ` +
      `already; ` +
      'give --replace to put the older one in its place.',
  );
}

function sameRevision(identity: Identity, live: PackageRow): PackageRefused {
  return new PackageRefused(
    'SAME_REVISION_OTHER_CONTENT',
    `${live.name} is there already with revision ${live.revision} and other content; raise the revision of ` +
      `${identity.name}, or give --replace.`,
  );
}

function otherIdentity(identity: Identity, twin: PackageRow): PackageRefused {
  return new PackageRefused(
    'SAME_CONTENT',
    `${twin.name} is there already with the same content, as ${twin.identity}; give --replace to make it ` +
      `${identity.identity}, or --name for both.`,
  );
}
