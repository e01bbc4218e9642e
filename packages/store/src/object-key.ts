/** Longest key, in bytes; the limit of S3. */
const MAX_KEY = 1024;
/** Longest part of a key, in bytes; the limit of common file systems. */
const MAX_PART = 255;

/**
 * Throws a RangeError unless `key` is a key of an object: parts of printable ASCII without `\`, joined by `/`,
 * none of them empty, `.` or `..`.
 */
export function assertKey(key: string): void {
  const wrong =
    key.length > MAX_KEY
      ? `is longer than ${MAX_KEY} bytes`
      : !/^[\x20-\x5b\x5d-\x7e]+$/.test(key)
        ? 'is empty or has characters other than printable ASCII, or a backslash'
        : key.split('/').some((part) => part === '' || part === '.' || part === '..')
          ? 'has an empty part, or a part . or ..'
          : key.split('/').some((part) => part.length > MAX_PART)
            ? `has a part longer than ${MAX_PART} bytes`
            : null;
  if (wrong !== null) throw new RangeError(`the object key ${JSON.stringify(key.slice(0, 200))} ${wrong}`);
}

/** Throws a RangeError unless `offset` and `length` name bytes of an object of `size` bytes. */
export function assertRange(key: string, size: number, offset: number, length: number): void {
  const areWhole = Number.isSafeInteger(offset) && Number.isSafeInteger(length);
  if (!areWhole || offset < 0 || length < 0 || offset + length > size) {
    throw new RangeError(`bytes ${offset}+${length} lie outside the object ${key} of ${size} bytes`);
  }
}
