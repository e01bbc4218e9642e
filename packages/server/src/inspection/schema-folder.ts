/** The XSDs of a directory, for `citymodel inspect --schemas`. */
import { opendir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { SchemasRefused, type XsdFile } from '@citymodel/inspect';

/** What a directory may have; the XSDs of GML, CityGML and i-UR together are 5 MB in 250 files. */
export interface FolderLimits {
  files: number;
  fileBytes: number;
  allBytes: number;
  /** Files and directories of any name. */
  names: number;
}

const LIMITS: FolderLimits = { files: 2000, fileBytes: 8 << 20, allBytes: 64 << 20, names: 100_000 };

/**
 * All `.xsd` files of a directory and those below, in the order of their paths. Links are not followed, so that nothing
 * outside is read. Throws SchemasRefused for a directory without XSDs, and one that is too large.
 */
export async function readSchemaFolder(directory: string, limits = LIMITS): Promise<XsdFile[]> {
  const files: XsdFile[] = [];
  let [names, total] = [0, 0];
  for await (const item of await opendirOf(directory)) {
    if (++names > limits.names) throw new SchemasRefused(`${directory} has more than ${limits.names} files.`);
    if (!item.isFile() || !item.name.toLowerCase().endsWith('.xsd')) continue;
    const file = join(item.parentPath, item.name);
    const path = relative(directory, file).split(sep).join('/');
    const { size } = await stat(file);
    total += size;
    if (size > limits.fileBytes)
      throw new SchemasRefused(`The XSD ${path} has more than ${limits.fileBytes} bytes.`);
    if (files.length >= limits.files || total > limits.allBytes) {
      throw new SchemasRefused(
        `${directory} has more than ${limits.files} XSDs, or more than ${limits.allBytes} bytes of them.`,
      );
    }
    files.push({ path, bytes: await readFile(file) });
  }
  if (files.length === 0) throw new SchemasRefused(`${directory} has no XSD.`);
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function opendirOf(directory: string) {
  try {
    return await opendir(directory, { recursive: true });
  } catch (error) {
    throw new SchemasRefused(`${directory} is no directory that can be read (${(error as Error).message}).`);
  }
}
