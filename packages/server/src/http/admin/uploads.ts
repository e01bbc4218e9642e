/**
 * Uploads of packages by the tus protocol (https://tus.io), which goes on where a broken one ended. Unfinished ones are
 * files in DATA_DIR/uploads, so the same server, or one that shares the directory, has to get all parts.
 *
 *   POST ──▶ receiving ──PATCH …──▶ whole ──check──▶ object of the store, job that looks at it
 *               │ DELETE, or UPLOAD_KEEP_S without a byte
 *               ▼
 *             gone
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { readdir, rm, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { compareTexts, sharedNow } from '@citymodel/base';
import type { JobRow, JobStore, ObjectStore } from '@citymodel/store';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import type { Settings } from '../../base/settings.ts';
import { factsOfFile, INCOMING, putIncoming, safeFileName, type UploadFacts } from '../../jobs/incoming.ts';
import { ingestJob } from '../../jobs/kinds/ingest.ts';
import { UploadRoom } from './upload-room.ts';

/** An upload that has begun and was not checked yet. */
export interface AdminUpload {
  id: string;
  /** Name of the file, made safe. */
  name: string;
  /** Bytes of the whole, and those that are here. */
  size: number;
  received: number;
  /** ISO 8601. */
  createdAt: string;
}

/** A disk with less is full, bytes. */
const FULL_BYTES = 2 ** 20;
const FULL =
  'The disk of the server is full. What was sent is kept: make room below DATA_DIR and send the rest, or delete the ' +
  'upload.';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class Uploads {
  readonly #settings: Settings;
  readonly #stores: { jobs: JobStore; objects: ObjectStore };
  readonly #directory: string;
  readonly #files: FileStore;
  readonly #tus: Server;
  readonly #room: UploadRoom;
  /** The upload that a request begins. */
  readonly #begins = new AsyncLocalStorage<{ id?: string }>();
  /** Checks that are under way, by upload: they follow each other. */
  readonly #checking = new Map<string, Promise<JobRow>>();

  /** `path`: where callers reach the uploads, with the base path of the service. */
  constructor(settings: Settings, stores: { jobs: JobStore; objects: ObjectStore }, path: string) {
    this.#settings = settings;
    this.#stores = stores;
    this.#directory = join(resolve(settings.DATA_DIR), 'uploads');
    this.#files = new FileStore({
      directory: this.#directory,
      expirationPeriodInMilliseconds: settings.UPLOAD_KEEP_S * 1_000,
    });
    this.#room = new UploadRoom({
      maxCount: settings.UPLOAD_MAX_COUNT,
      list: () => this.list(),
      free: () => this.#free(),
    });
    this.#tus = new JsonServer({
      path,
      datastore: this.#files,
      maxSize: settings.UPLOAD_MAX_BYTES,
      namingFunction: () => randomUUID(),
      // Without the host: a caller who reaches the page under another name goes on under it.
      generateUrl: (_request, { id }) => `${path}/${id}`,
      getFileIdFromRequest: (_request, last) => (last !== undefined && UUID.test(last) ? last : undefined),
      onUploadCreate: async (_request, { id, size, metadata }) => {
        if (size === undefined)
          throw refusal(400, 'Tell the size of the upload (Upload-Length) when it begins.');
        const name = metadata?.filename;
        if (!name) throw refusal(400, 'Tell the name of the file as `filename` in Upload-Metadata.');
        const none = await this.#room.take(id, size);
        if (none !== null) throw refusal(none.status, none.reason);
        const begins = this.#begins.getStore();
        if (begins !== undefined) begins.id = id;
        return { metadata: { filename: safeFileName(name) } };
      },
      // No other page may use it: tokens are for the operator's own.
      allowedOrigins: [],
      onResponseError: async (_request, error) => {
        const { status_code = 500, body } = error as { status_code?: number; body?: string };
        if (status_code === 500 && (await this.#free()) < FULL_BYTES) {
          return { status_code: 507, body: asJson(507, FULL) };
        }
        const reason = (body ?? 'The upload could not be written.').trim();
        return { status_code, body: asJson(status_code, reason) };
      },
    });
  }

  /** Answers a request of the tus protocol: POST without an id, HEAD, PATCH and DELETE with one. */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.hijack();
    reply.raw.setHeader('cache-control', 'no-store');
    const begins: { id?: string } = {};
    try {
      await this.#begins.run(begins, () => this.#tus.handle(request.raw, reply.raw));
    } finally {
      if (begins.id !== undefined) this.#room.begun(begins.id);
    }
  }

  /** Bytes that the disk of the uploads has free. */
  async #free(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#directory);
    return bavail * bsize;
  }

  /** The oldest first. Those that are over by time are deleted. */
  async list(): Promise<AdminUpload[]> {
    const names = await readdir(this.#directory).catch(() => []);
    const uploads: AdminUpload[] = [];
    for (const id of names) {
      if (!UUID.test(id)) continue;
      const upload = await this.#find(id);
      if (upload !== null) uploads.push(upload);
    }
    return uploads.sort((a, b) => compareTexts(a.createdAt, b.createdAt));
  }

  /**
   * Puts a whole upload where workers reach it and asks for a job that looks at it (a dry run). May be repeated after
   * it broke anywhere. Throws ServiceError 404 and 409.
   */
  async check(id: string): Promise<JobRow> {
    const running = this.#checking.get(id);
    if (running !== undefined) return running;
    const checking = this.#check(id).finally(() => this.#checking.delete(id));
    this.#checking.set(id, checking);
    return checking;
  }

  async #check(id: string): Promise<JobRow> {
    const { jobs, objects } = this.#stores;
    const upload = UUID.test(id) ? await this.#files.configstore.get(id) : undefined;
    if (upload === undefined) throw noSuchUpload(id);
    const key = INCOMING + id;
    const path = join(this.#directory, id);
    let facts: UploadFacts = { size: upload.size };
    if ((await objects.head(key)) === null) {
      const { size } = await stat(path);
      if (size !== upload.size) {
        throw new ServiceError(409, 'conflict', {
          reason: `The upload has ${size} of ${upload.size} bytes; send the rest first.`,
        });
      }
      // A file that is moved has no way on which bytes could change.
      if (objects.traits.movesLocalFiles) await objects.put(key, path);
      else facts = await putIncoming(objects, key, path);
    } else if (!objects.traits.movesLocalFiles) {
      facts = await factsOfFile(path);
    }
    const source = { object: key, name: upload.metadata?.filename ?? 'upload', ...facts };
    const payload = { source, overrides: {}, replace: false, dryRun: true, level: 6 };
    const job = ingestJob(payload, { maxAttempts: this.#settings.JOB_ATTEMPTS, ownsObject: true });
    const [row] = await jobs.enqueue([{ ...job, unique: `check ${id}` }], sharedNow());
    // Last: until here the whole can be done again. The file is gone where the store could move it.
    await rm(path, { force: true });
    await this.#files.configstore.delete(id);
    return row!;
  }

  async #find(id: string): Promise<AdminUpload | null> {
    const file = await stat(join(this.#directory, id)).catch(() => null);
    // A description that was cut off by a full disk is none.
    const upload = await this.#files.configstore.get(id).catch(() => undefined);
    if (upload === undefined) {
      if (file !== null && file.mtimeMs < Date.now() - this.#settings.UPLOAD_KEEP_S * 1_000) {
        await this.#remove(id);
      }
      return null;
    }
    const touched = file?.mtimeMs ?? Date.parse(upload.creation_date ?? '');
    if (touched < Date.now() - this.#settings.UPLOAD_KEEP_S * 1_000) {
      await this.#remove(id);
      return null;
    }
    return {
      id,
      name: upload.metadata?.filename ?? 'upload',
      size: upload.size ?? 0,
      received: file?.size ?? upload.size ?? 0,
      createdAt: upload.creation_date ?? '',
    };
  }

  async #remove(id: string): Promise<void> {
    await rm(join(this.#directory, id), { force: true });
    await rm(join(this.#directory, `${id}.json`), { force: true });
  }
}

/** Says that its bodies, those of failures, are JSON: by itself it declares all of them as plain text. */
class JsonServer extends Server {
  override write(...[context, headers, status, body]: Parameters<Server['write']>) {
    headers.set('Content-Type', 'application/json; charset=utf-8');
    return super.write(context, headers, status, body);
  }
}

function noSuchUpload(id: string): ServiceError {
  return new ServiceError(404, 'not found', {
    reason: `There is no upload ${JSON.stringify(id.slice(0, 50))}.`,
  });
}

/** A refusal as the library of the protocol takes it. */
function refusal(status: number, reason: string): { status_code: number; body: string } {
  return { status_code: status, body: reason };
}

function asJson(status: number, reason: string): string {
  return `${JSON.stringify(new ServiceError(status, 'upload refused', { reason }).body())}\n`;
}
