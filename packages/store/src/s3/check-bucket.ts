/** Whether a bucket does all that the program, and browsers that are sent to it, need of it. */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  CreateMultipartUploadCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  ListMultipartUploadsCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { ObjectExists, ObjectMissing } from '../object-store.ts';
import type { S3Address } from './s3-address.ts';
import { closeLink, openLink } from './s3-client.ts';
import type { S3Link } from './s3-link.ts';
import { S3Store } from './s3-store.ts';

/** One thing that was looked at. */
export interface BucketFinding {
  what: string;
  /** `fault`: something does not work. `hint`: it works, and an operator should know. */
  state: 'ok' | 'fault' | 'hint';
  /** What to do; empty when all is well. */
  advice: string;
}

/** Bytes of the object that is put whole, and of the one that is put in parts. */
const SMALL = 100_000;
const LARGE = 17 * 2 ** 20;
/** Headers that a page has to see to read ranges. */
const EXPOSED = ['etag', 'content-range', 'content-length', 'accept-ranges'];

/**
 * Tries what is needed on objects below `check/`, which are deleted again. `redirect`: the value of ASSET_REDIRECT;
 * `origin`: that of a page that is to load from the bucket. Never throws for what the store does.
 */
export async function checkBucket(
  address: S3Address,
  { redirect, origin }: { redirect: string; origin: string },
): Promise<BucketFinding[]> {
  const check = new BucketCheck(address, redirect, origin);
  try {
    return await check.run();
  } finally {
    await check.close();
  }
}

class BucketCheck {
  readonly #address: S3Address;
  readonly #store: S3Store;
  readonly #link: S3Link;
  readonly #client: S3Client;
  readonly #redirect: string;
  readonly #origin: string;
  readonly #findings: BucketFinding[] = [];
  readonly #key = `check/${randomUUID()}`;
  readonly #bytes = randomBytes(SMALL);

  constructor(address: S3Address, redirect: string, origin: string) {
    this.#address = address;
    this.#store = new S3Store(address);
    this.#link = openLink(address);
    this.#client = this.#link.client;
    this.#redirect = redirect;
    this.#origin = origin;
  }

  async close(): Promise<void> {
    closeLink(this.#link);
    await this.#store.close();
  }

  async run(): Promise<BucketFinding[]> {
    if (!(await this.#try('the bucket answers', () => this.#store.probe()))) return this.#findings;
    const written = await this.#try('objects are written', async () => {
      await this.#store.put(this.#key, once(this.#bytes));
    });
    if (!written) return this.#findings;
    try {
      await this.#try('ranges are read', () => this.#ranges());
      await this.#try('an object that was replaced is not mixed with the new one (If-Match)', () =>
        this.#replaced(),
      );
      await this.#try('an object is not overwritten by a second writer (If-None-Match)', () => this.#once());
      await this.#try('large objects are written in parts', () => this.#parts());
      await this.#try('unfinished uploads are given up', () => this.#aborts());
      await this.#try('objects are listed', () => this.#lists());
      if (this.#redirect !== '') await this.#public();
    } finally {
      const keys = [this.#key, `${this.#key}-large`];
      await this.#try('objects are deleted', () => this.#store.deleteMany(keys));
    }
    await this.#settings();
    return this.#findings;
  }

  async #try(what: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.#findings.push({ what, state: 'ok', advice: '' });
      return true;
    } catch (error) {
      this.#findings.push({ what, state: 'fault', advice: (error as Error).message });
      return false;
    }
  }

  async #ranges(): Promise<void> {
    await using handle = await this.#store.open(this.#key);
    const part = await handle.read(50_000, 1_000);
    if (!this.#bytes.subarray(50_000, 51_000).equals(part))
      throw new Error('other bytes came than were written');
  }

  async #replaced(): Promise<void> {
    const key = this.#key;
    await using before = await this.#store.open(key);
    await this.#store.put(key, once(randomBytes(SMALL)));
    const read = await before.read(0, 10).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ObjectMissing) return false;
        throw error;
      },
    );
    await this.#store.put(key, once(this.#bytes));
    if (read) throw new Error('the store does not look at If-Match; use one that does');
  }

  async #once(): Promise<void> {
    try {
      await this.#store.put(this.#key, once(randomBytes(10)), { once: true });
    } catch (error) {
      if (error instanceof ObjectExists) return;
      throw error;
    }
    throw new Error('a second writer was let through; two workers might overwrite each other');
  }

  async #parts(): Promise<void> {
    const block = randomBytes(2 ** 20);
    const { size } = await this.#store.put(
      `${this.#key}-large`,
      (async function* () {
        for (let at = 0; at < LARGE; at += block.length) yield block;
      })(),
    );
    if (size !== LARGE) throw new Error(`an object of ${LARGE} bytes has ${size} bytes in the store`);
  }

  async #aborts(): Promise<void> {
    const { bucket, prefix } = this.#address;
    const Key = `${prefix}${this.#key}-unfinished`;
    await this.#client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key }));
    const isOther = (key: string) => key !== `${this.#key}-unfinished`;
    await this.#store.abortUploads(new Date(Date.now() + 86_400_000), isOther);
    const { Uploads = [] } = await this.#client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: Key }),
    );
    if (Uploads.length > 0) throw new Error('an upload that was given up is still there');
  }

  async #lists(): Promise<void> {
    for await (const { key } of this.#store.list('check/')) if (key === this.#key) return;
    throw new Error('an object that was written is not in the list');
  }

  /** What a browser meets that was sent to the store. */
  async #public(): Promise<void> {
    const url =
      this.#redirect === 'presigned'
        ? await this.#store.sign(this.#key, { seconds: 60, disposition: 'attachment; filename="check.zip"' })
        : `${this.#redirect}/${this.#key}`;
    const headers = { origin: this.#origin, range: 'bytes=10-19' };
    let answer: Response | null = null;
    await this.#try('the address that ASSET_REDIRECT leads to answers ranges', async () => {
      answer = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (answer.status !== 206 || !this.#bytes.subarray(10, 20).equals(bytes)) {
        throw new Error(
          `it answered ${answer.status} to a range; give readers s3:GetObject, or mend the address`,
        );
      }
    });
    if (answer === null) return;
    const got = (answer as Response).headers;
    await this.#try('pages of other origins may read from it (CORS)', async () => {
      const allowed = got.get('access-control-allow-origin');
      if (allowed !== '*' && allowed !== this.#origin) {
        throw new Error('add a CORS rule to the bucket: docs/scaling.md has one to copy');
      }
      const exposed = (got.get('access-control-expose-headers') ?? '').toLowerCase();
      const missing = EXPOSED.filter((name) => exposed !== '*' && !exposed.includes(name));
      if (missing.length > 0) throw new Error(`the CORS rule has to expose ${missing.join(', ')}`);
    });
  }

  /** Settings of the bucket that nothing fails without. */
  async #settings(): Promise<void> {
    const bucket = { Bucket: this.#address.bucket };
    const hint = (what: string, advice: string) => this.#findings.push({ what, state: 'hint', advice });
    const lifecycle = await this.#client
      .send(new GetBucketLifecycleConfigurationCommand(bucket))
      .catch(() => null);
    if (!lifecycle?.Rules?.some((rule) => rule.AbortIncompleteMultipartUpload !== undefined)) {
      hint(
        'no lifecycle rule gives up unfinished uploads, or it may not be read',
        'the sweep does it; a rule with AbortIncompleteMultipartUpload after 7 days does it also when no server runs',
      );
    }
    const versioning = await this.#client.send(new GetBucketVersioningCommand(bucket)).catch(() => null);
    if (versioning?.Status === 'Enabled') {
      hint(
        'the bucket keeps old versions',
        'deleted packages go on to take room; add a lifecycle rule with NoncurrentVersionExpiration',
      );
    }
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
