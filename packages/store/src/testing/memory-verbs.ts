/** The verbs of a remote store whose objects are in memory, with faults where a test wants them. */
import { Readable } from 'node:stream';
import type { ObjectInfo } from '../object-store.ts';
import { RemoteStore } from '../remote/remote-store.ts';
import { StoreFaults } from '../remote/store-faults.ts';
import { DEFAULT_TIMES, type StoreLink, storeLink } from '../remote/store-link.ts';
import type {
  ByteRange,
  OpenedObject,
  PutTarget,
  RangeAnswer,
  RemoteVerbs,
  SentPart,
  StoredFacts,
} from '../remote/verbs.ts';

/** What a store answers in place of what was asked for; without a status there was no answer. */
export function refusal(status: number | undefined, code = 'Odd'): Error {
  return Object.assign(new Error(`${status} ${code}`), { facts: { status, code } });
}

interface Stored extends StoredFacts {
  bytes: Uint8Array;
}

export class MemoryVerbs implements RemoteVerbs {
  readonly faults = new StoreFaults({
    read: (error) =>
      (error as { facts?: { status: number | undefined; code: string } }).facts ?? {
        status: undefined,
        code: 'Unknown',
      },
    placeMissing: 'NoSuchBucket',
    exists: 'Exists',
    uploadGone: 'NoSuchUpload',
    advice: {},
  });
  maxParts = 10_000;
  deletesAtOnce = 1_000;
  /** What was asked, as `verb key`. */
  readonly asked: string[] = [];
  readonly objects = new Map<string, Stored>();
  readonly uploads = new Map<string, Map<number, Uint8Array>>();
  /** Called before a verb does anything; what it throws is the answer. */
  before: (verb: string, key: string) => void = () => {};
  /** Called when a verb has done it; what it throws takes the place of its answer. */
  after: (verb: string, key: string) => void = () => {};
  /** Changes an answer with bytes. */
  answering: (answer: RangeAnswer) => RangeAnswer = (answer) => answer;
  stream?: (
    object: OpenedObject,
    offset: number,
    length: number,
  ) => Promise<AsyncIterable<Uint8Array> | null>;
  #changes = 0;

  async head(key: string): Promise<StoredFacts> {
    return this.#does('head', key, () => this.#object(key));
  }

  async get(key: string, range: ByteRange, etag: string | null): Promise<RangeAnswer> {
    return this.#does('get', key, () => {
      const { bytes, etag: own, size } = this.#object(key);
      if (etag !== null && etag !== own) throw refusal(412, 'PreconditionFailed');
      const offset = 'last' in range ? Math.max(0, size - range.last) : range.offset;
      if (offset >= size) throw refusal(416, 'InvalidRange');
      const end = 'last' in range ? size : Math.min(size, range.offset + range.length);
      const body = Readable.from([bytes.subarray(offset, end)], { objectMode: false });
      return this.answering({ body, offset, length: end - offset, etag: own, size, isPart: true });
    });
  }

  async put(target: PutTarget, body: Uint8Array): Promise<void> {
    return this.#does('put', target.key, () => this.#keep(target, body));
  }

  async beginParts({ key }: PutTarget): Promise<string> {
    return this.#does('beginParts', key, () => {
      const name = `upload-${this.#changes++}`;
      this.uploads.set(name, new Map());
      return name;
    });
  }

  async putPart({ key }: PutTarget, upload: string, number: number, body: Uint8Array): Promise<string> {
    return this.#does('putPart', `${key} ${number}`, () => {
      this.#parts(upload).set(number, body);
      return `tag-${number}`;
    });
  }

  async joinParts(target: PutTarget, upload: string, parts: readonly SentPart[]): Promise<void> {
    return this.#does('joinParts', `${target.key} ${parts.map(({ tag }) => tag)}`, () => {
      const sent = this.#parts(upload);
      this.#keep(target, Buffer.concat(parts.map(({ number }) => sent.get(number)!)));
      this.uploads.delete(upload);
    });
  }

  async dropParts({ key }: PutTarget, upload: string): Promise<void> {
    return this.#does('dropParts', key, () => void this.uploads.delete(upload));
  }

  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    this.before('list', prefix);
    for (const key of [...this.objects.keys()].sort()) {
      const { size, modified } = this.objects.get(key)!;
      if (key.startsWith(prefix)) yield { key, size, modified };
    }
  }

  async delete(keys: readonly string[]): Promise<void> {
    return this.#does('delete', keys.join(' '), () => {
      for (const key of keys) this.objects.delete(key);
    });
  }

  async look(): Promise<void> {
    return this.#does('look', '', () => {});
  }

  close(): void {
    this.asked.push('close');
  }

  #object(key: string): Stored {
    const stored = this.objects.get(key);
    if (stored === undefined) throw refusal(404, 'NoSuchKey');
    return stored;
  }

  #parts(upload: string): Map<number, Uint8Array> {
    const parts = this.uploads.get(upload);
    if (parts === undefined) throw refusal(404, 'NoSuchUpload');
    return parts;
  }

  #keep({ key, once, writer }: PutTarget, body: Uint8Array): void {
    if (once && this.objects.has(key)) throw refusal(412, 'PreconditionFailed');
    const etag = `"${this.#changes++}"`;
    this.objects.set(key, { bytes: body, etag, size: body.length, modified: new Date(), writer });
  }

  #does<T>(verb: string, key: string, work: () => T): T {
    this.asked.push(`${verb} ${key}`.trim());
    this.before(verb, key);
    const answer = work();
    this.after(verb, key);
    return answer;
  }
}

/** A remote store of these verbs. */
export function remoteStoreOf(verbs: MemoryVerbs): { store: RemoteStore; link: StoreLink } {
  const link = storeLink(() => verbs.look(), DEFAULT_TIMES);
  return { store: new RemoteStore(link, verbs), link };
}
