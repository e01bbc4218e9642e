import { isUtf8 } from 'node:buffer';
import { opendir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Issue } from '@citymodel/base';
import { compareTexts } from '@citymodel/base';
import { ByteList, Column, MAX_NAME_BYTES, nameFault, openFileSource, printableName } from '@citymodel/zip';
import type { Upload, UploadMember } from './upload.ts';

const JUNK = /^(\.DS_Store|Thumbs\.db|desktop\.ini|__MACOSX)$/i;

/**
 * Opens a directory as an upload. Links are not followed and reported: what they lead to is not part of the package.
 */
export async function openDirectoryUpload(path: string): Promise<Upload> {
  const root = resolve(path);
  const issues: Issue[] = [];
  const names = new ByteList();
  const sizes = new Column((length) => new Float64Array(length), 16);
  /** Milliseconds since 1970, even seconds. */
  const times = new Column((length) => new Float64Array(length), 16);
  let bytes = 0;
  const walk = async (directory: string, prefix: string): Promise<void> => {
    const listed: Array<{ name: string; kind: 'file' | 'directory' | 'other' }> = [];
    for await (const entry of await opendir(directory, { encoding: 'buffer' as BufferEncoding })) {
      // With this encoding names are bytes, which the types do not know.
      const bytes = entry.name as unknown as Buffer;
      const name = bytes.toString('utf8');
      const fault = faultOf(bytes, prefix + name);
      if (fault !== null) {
        issues.push({ ...fault, severity: 'error', member: printableName(prefix + name) });
        continue;
      }
      listed.push({ name, kind: entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : 'other' });
    }
    listed.sort((a, b) => compareTexts(a.name, b.name));
    for (const { name, kind } of listed) {
      const member = prefix + name;
      if (JUNK.test(name)) {
        issues.push({
          code: 'MEMBER_JUNK',
          severity: 'info',
          member,
          message: 'A file that a desktop system leaves behind was left out.',
        });
      } else if (kind === 'other') {
        issues.push({
          code: 'MEMBER_SYMLINK',
          severity: 'error',
          member,
          message: 'It is a link or a special file, which is left out; only files and directories go in.',
        });
      } else if (kind === 'directory') {
        await walk(join(directory, name), `${member}/`);
      } else {
        const { size, mtimeMs } = await stat(join(directory, name));
        bytes += size;
        names.push(Buffer.from(member, 'utf8'));
        sizes.push(size);
        times.push(Math.floor(mtimeMs / 2_000) * 2_000);
      }
    }
  };
  await walk(root, '');
  const memberOf = (i: number): UploadMember => ({
    name: names.text(i),
    size: sizes.at(i),
    crc32: null,
    modified: times.at(i),
  });
  return {
    location: path,
    name: basename(root),
    issues,
    names,
    uploadBytes: bytes,
    *members() {
      for (let i = 0; i < names.count; i++) yield memberOf(i);
    },
    member: memberOf,
    raw: () => null,
    async *read(member) {
      await using file = await openFileSource(join(root, member.name));
      yield* file.stream(0, file.size);
    },
    release() {
      names.release();
      sizes.release();
      times.release();
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** Why no zip can hold a file of this name, with the code of the issue; null when one can. */
function faultOf(bytes: Buffer, path: string): Pick<Issue, 'code' | 'message'> | null {
  if (!isUtf8(bytes)) {
    return { code: 'MEMBER_NAME_UNREADABLE', message: 'The name is not UTF-8; the file is left out.' };
  }
  if (Buffer.byteLength(path) > MAX_NAME_BYTES) {
    const message = `The name is longer than ${MAX_NAME_BYTES} bytes; the file is left out.`;
    return { code: 'MEMBER_NAME_TOO_LONG', message };
  }
  const fault = nameFault(path);
  if (fault === null) return null;
  const holds = fault === 'MEMBER_NAME_CONTROL' ? 'a control character' : 'a backslash or a drive letter';
  return { code: fault, message: `The name holds ${holds}, which no zip may have; the file is left out.` };
}
