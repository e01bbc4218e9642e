import type { PackageFiles } from '@citymodel/base';
import { type MemberIndex, type RangedSource, readWhole } from '@citymodel/zip';
import { MemberLookup } from './member-lookup.ts';
import type { Upload, UploadMember } from './upload.ts';

/** The members of an upload below the package root, for looking at a package without writing it. */
export function uploadFiles(upload: Upload, root: string): PackageFiles {
  const lookup = new MemberLookup(upload.names, root);
  const find = (path: string): UploadMember | null => {
    const i = lookup.find(path);
    return i === -1 ? null : upload.member(i);
  };
  return {
    *paths() {
      for (const { name } of upload.members()) if (name.startsWith(root)) yield name.slice(root.length);
    },
    size: (path) => find(path)?.size,
    async read(path, limit = Number.POSITIVE_INFINITY) {
      const member = find(path);
      if (member === null) return null;
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of upload.read(member)) {
        size += chunk.length;
        if (size > limit) throw tooLarge(path, limit);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    },
  };
}

/** The members of an archive with its index. */
export function archiveFiles(index: MemberIndex, archive: RangedSource): PackageFiles {
  return {
    paths: () => index.paths(),
    size: (path) => index.find(path)?.size,
    async read(path, limit = Number.POSITIVE_INFINITY) {
      const member = index.find(path);
      if (member === undefined) return null;
      if (member.size > limit) throw tooLarge(path, limit);
      return readWhole(archive, member);
    },
  };
}

function tooLarge(path: string, limit: number): RangeError {
  return new RangeError(`${path} is larger than the ${limit} bytes that are read of such a file`);
}
