/** Assets: any member of any package, metadata zips, the archive itself, tables of features, and pictures. */

import { createHash } from 'node:crypto';
import { quoted } from '@citymodel/base';
import type { MetadataDirectory, PackagePicture, PackageRow, PackageTable } from '@citymodel/store';
import {
  gzipRange,
  gzipSize,
  identityRange,
  type Member,
  MemberDamaged,
  partIsChecked,
  streamLayout,
} from '@citymodel/zip';
import type { RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { type ParsedAsset, parseAssetPath, pictureTag } from '../../catalogue/names/asset-urls.ts';
import { assetCaching } from '../answers/asset-caching.ts';
import { keyPackage } from '../answers/cache-keys.ts';
import { contentTypeOf, isPage } from '../answers/content-types.ts';
import { acceptsGzip, type Bytes, sendBytes } from '../answers/send.ts';
import { redirectToStore, storeAddress } from '../answers/store-redirect.ts';
import type { ServiceContext } from '../context.ts';
import { isTileOf } from './empty-tile.ts';
import { MetadataLayouts } from './metadata-layouts.ts';

/** What a package brings is shown without scripts, without an origin, and without loading anything else. */
const POLICY = "sandbox; default-src 'none'";
/** For what a hosted package lacks. */
const MISSING_CACHE = 'public, max-age=60';
/** Callers compare the entity tag, which is made of the hash. */
const TABLE_CACHE = 'public, no-cache';
/** The address has a part of the hash. */
const PICTURE_CACHE = 'public, max-age=31536000, immutable';
const PARQUET = 'application/vnd.apache.parquet';
/** Below this many bytes the gzip form saves nothing. */
const GZIP_FROM = 256;
/** `GET {assetRoot}/{2 hex}/{rest}/{package}/{path}`, `…/{package}.zip` and `…/{package}_codelists.zip`. */
export function serveAsset(context: ServiceContext, assetRoot: string): RouteHandlerMethod {
  const layouts = new MetadataLayouts(context.archives);
  const cacheOf = assetCaching(context.settings.ASSET_MAX_AGE_S);
  return async (request, reply) => {
    const path = request.raw.url!.split('?', 1)[0]!.slice(assetRoot.length);
    const asset = parseAssetPath(path);
    const row = asset === null ? undefined : context.watch.current().findAsset(asset);
    if (asset === null || row === undefined || row.archiveKey === '') throw nothingThere();
    // What a package lacks it goes on to lack, until another revision comes.
    reply.header('cache-control', MISSING_CACHE);
    keyPackage(reply, row);
    switch (asset.kind) {
      case 'archive': {
        const stored = { key: row.archiveKey, disposition: attachment(`${row.name}.zip`) };
        const address = await storeAddress(context, request, stored);
        if (address !== null) return redirectToStore(reply, address);
        return sendBytes(request, reply, archiveBytes(context, row, cacheOf(row, null)));
      }
      case 'metadata':
        return sendBytes(
          request,
          reply,
          await metadataBytes(context, layouts, {
            row,
            directory: asset.directory,
            cache: cacheOf(row, null),
          }),
        );
      case 'table': {
        const table = row.tables?.find(({ type }) => type === asset.type);
        if (table === undefined) throw noTable(row, asset.type);
        const disposition = attachment(`${row.name}_${table.type}.parquet`);
        const address = await storeAddress(context, request, { key: table.key, disposition });
        if (address !== null) return redirectToStore(reply, address);
        return sendBytes(request, reply, tableBytes(context, row, table, disposition));
      }
      case 'picture': {
        const picture = row.pictures?.images.find(
          ({ theme, size }) => theme === asset.theme && size === asset.size,
        );
        if (picture === undefined) throw nothingThere();
        // An address of earlier pictures shows those of today, and says nothing of tomorrow.
        const isNow = pictureTag(row.pictures!.images) === asset.tag;
        return sendBytes(request, reply, await pictureBytes(context, row, picture, isNow));
      }
      case 'member': {
        const member = await findMember(context, row, asset);
        if (member === null) {
          if (!isTileOf(row, asset.path)) throw nothingThere();
          return reply.header('cache-control', cacheOf(row, asset.path)).code(204).send();
        }
        const gzip =
          prefersGzip(member, request.headers.range, request.headers['if-range']) && acceptsGzip(request);
        return sendBytes(
          request,
          reply,
          memberBytes(context, { row, member, gzip, cache: cacheOf(row, member.path) }),
        );
      }
    }
  };
}

/** Tables are made after their package was published, so what is missing may come. */
function noTable({ kind, types, tables }: PackageRow, type: string): ServiceError {
  const mayCome = kind === 'citygml' && tables === undefined && types.includes(type);
  return new ServiceError(404, 'not found', {
    reason: mayCome
      ? `The table of ${quoted(type, 40)} is not made yet; it is made after its package was published.`
      : 'No hosted package has a file at this path.',
  });
}

function tableBytes(
  { tables }: ServiceContext,
  row: PackageRow,
  table: PackageTable,
  disposition: string,
): Bytes {
  return {
    size: table.size,
    etag: `"${table.sha256.slice(0, 32)}"`,
    contentType: PARQUET,
    policy: POLICY,
    lastModified: new Date(row.ingestedAt),
    // Another version of the program may write it in another form.
    cacheControl: TABLE_CACHE,
    disposition,
    isReused: true,
    async *range(start, end) {
      await using source = await tables.open(table);
      yield* source.stream(start, end - start, { lent: true });
    },
  };
}

/** A picture is read as a whole and compared with its hash. Throws MemberDamaged. */
async function pictureBytes(
  { archives }: ServiceContext,
  row: PackageRow,
  { key, bytes: size, sha256, mimeType }: PackagePicture,
  isNow: boolean,
): Promise<Bytes> {
  const read = async () => {
    await using object = await archives.openObject(key);
    const bytes = object.size === size ? await object.read(0, size) : Buffer.alloc(0);
    if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
    throw new MemberDamaged(
      'CRC_MISMATCH',
      'a picture',
      `Its bytes are not those that were drawn of ${row.name}.`,
    );
  };
  return {
    size,
    etag: `"${sha256.slice(0, 32)}"`,
    contentType: mimeType,
    policy: POLICY,
    lastModified: new Date(row.ingestedAt),
    cacheControl: isNow ? PICTURE_CACHE : TABLE_CACHE,
    isReused: true,
    async *range(start, end) {
      yield (await read()).subarray(start, end);
    },
  };
}

function nothingThere(): ServiceError {
  return new ServiceError(404, 'not found', { reason: 'No hosted package has a file at this path.' });
}

async function findMember(
  { archives }: ServiceContext,
  row: PackageRow,
  asset: ParsedAsset & { kind: 'member' },
): Promise<Member | null> {
  await using archive = await archives.open(row);
  return archive.index.find(asset.path) ?? null;
}

/**
 * A range is one of the plain bytes, whatever encodings the caller takes, unless `If-Range` shows that it goes on with
 * the gzip form.
 */
function prefersGzip(
  member: Member,
  range: string | undefined,
  ifRange: string | string[] | undefined,
): boolean {
  if (member.method !== 8 || member.size < GZIP_FROM) return false;
  return range === undefined || ifRange === memberEtag(member, true);
}

function memberEtag(member: Member, gzip: boolean): string {
  return `"${Buffer.from(member.sha256.subarray(0, 18)).toString('base64url')}${gzip ? '-gzip' : ''}"`;
}

function memberBytes(
  context: ServiceContext,
  { row, member, gzip, cache }: { row: PackageRow; member: Member; gzip: boolean; cache: string },
): Bytes {
  return {
    size: gzip ? gzipSize(member) : member.size,
    etag: memberEtag(member, gzip),
    contentType: contentTypeOf(member.path),
    policy: POLICY,
    ...(isPage(member.path)
      ? { disposition: attachment(member.path.slice(member.path.lastIndexOf('/') + 1)) }
      : {}),
    ...(gzip ? { contentEncoding: 'gzip' as const } : {}),
    lastModified: new Date(Math.min(member.modified, Date.parse(row.ingestedAt))),
    cacheControl: cache,
    isReused: gzip,
    async *range(start, end) {
      await using archive = await context.archives.open(row);
      const isWhole = start === 0 && end === (gzip ? gzipSize(member) : member.size);
      // From the beginning on no table is needed; far away it would be a round trip more.
      const needsTable = gzip ? !isWhole : start > 0 || archive.readCost !== 'remote';
      const blocks = needsTable ? await archive.blocks(member) : null;
      const source = isWhole || partIsChecked(member, blocks) ? archive.archive : archive.checkedArchive();
      if (gzip) yield* gzipRange(source, member, start, end, archive.knownData, blocks);
      else yield* identityRange(source, member, blocks, start, end);
    },
  };
}

function archiveBytes(context: ServiceContext, row: PackageRow, cache: string): Bytes {
  return {
    size: row.archiveSize,
    etag: `"${row.archiveSha256.slice(0, 32)}"`,
    contentType: 'application/zip',
    policy: POLICY,
    lastModified: new Date(row.ingestedAt),
    cacheControl: cache,
    disposition: attachment(`${row.name}.zip`),
    isReused: true,
    async *range(start, end) {
      await using archive = await context.archives.open(row);
      yield* archive.checkedArchive().stream(start, end - start, { lent: true });
    },
  };
}

async function metadataBytes(
  { archives }: ServiceContext,
  layouts: MetadataLayouts,
  { row, directory, cache }: { row: PackageRow; directory: MetadataDirectory; cache: string },
): Promise<Bytes> {
  const found = await layouts.of(row, directory);
  if (found === null) throw nothingThere();
  const { layout, digest } = found;
  return {
    size: layout.size,
    etag: `"${digest.slice(0, 32)}"`,
    contentType: 'application/zip',
    policy: POLICY,
    lastModified: new Date(row.ingestedAt),
    cacheControl: cache,
    disposition: attachment(`${row.name}_${directory}.zip`),
    isReused: true,
    async *range(start, end) {
      await using archive = await archives.open(row);
      const source = archive.checkedArchive();
      yield* streamLayout(layout, start, end, async () => source);
    },
  };
}

/**
 * `Content-Disposition` with the name in ASCII and, where it has other characters, in UTF-8 (RFC 6266, section 4.3).
 */
function attachment(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const extended = ascii === name ? '' : `; filename*=UTF-8''${encodeURIComponent(name)}`;
  return `attachment; filename="${ascii}"${extended}`;
}
