/**
 * Zips that are read by ranges and never unpacked: seekable archives, their index, and other zips laid out over them.
 */

// Members, their names, and blocks of their text.
export { type BlockChecks, decodeBlockChecks, encodeBlockChecks } from './block-checks.ts';
export { decodePieces } from './block-pieces.ts';
export { BlockTable, type PartRange } from './block-table.ts';
// Where bytes come from.
export { FileSource, type OpenFile, openFile, openFileSource } from './file-source.ts';
export { IndexDamaged, MemberIndex } from './index/member-index.ts';
// The index beside an archive.
export { MemberIndexBuilder } from './index/member-index-builder.ts';
export { ARCHIVE_PAGE_BYTES, HEADER_BYTES } from './index/member-index-format.ts';
export { MemberTable } from './index/member-table.ts';
export { PAGE_BYTES } from './index/page-sums.ts';
export { verifyMemberIndex } from './index/verify-member-index.ts';
export type { ByteRange, Member, SectionName } from './member.ts';
export { MemberDamaged } from './member-damaged.ts';
export { InvalidMemberName, MAX_NAME_BYTES, nameFault, printableName } from './member-name.ts';
// Reading: the directory of any zip, members, ranges of their text.
export { BlockInflater } from './read/block-inflater.ts';
export { type BlockParts, partsBytes } from './read/block-parts.ts';
export { type KnownData, readTwice } from './read/data-check.ts';
export { locateData, readMember } from './read/member-data.ts';
export { gzipRange, gzipSize, identityRange, partIsChecked, readWhole } from './read/member-stream.ts';
export { type PartsPromise, PartsThread } from './read/parts-thread.ts';
export { recoverBlocks } from './read/recover-blocks.ts';
export { recoverPieces } from './read/recover-pieces.ts';
export { readZipDirectory, type ZipEntry } from './read/zip-directory.ts';
export { ZipRefused } from './read/zip-refused.ts';
export { bufferSource, type RangedSource, type StreamOptions } from './source.ts';
// Comparing pages of an object with their sums.
export { CheckedPages, type PageSumsOf } from './sums/checked-pages.ts';
export { PageSumsWriter } from './sums/page-sums-writer.ts';
// Compact tables, for indexes that others keep beside it.
export { BufferPool } from './tables/buffer-pool.ts';
export { ByteList } from './tables/byte-list.ts';
export { Column } from './tables/column.ts';
export { type ColumnLayout, columnBytes, columnsOver } from './tables/column-layout.ts';
export { NameSet } from './tables/name-set.ts';
export { openUrlSource } from './url-source.ts';
// Writing: archives whose text is found by blocks, and zips made of ranges.
export { createArchiveFile } from './write/archive-file.ts';
export { ArchiveWriter } from './write/archive-writer.ts';
export { FAR_READS, NEAR_READS, streamLayout } from './write/layout-stream.ts';
export { SeekableDeflate, textBufferBytes } from './write/seekable-deflate.ts';
export { TextDeflater } from './write/text-deflater.ts';
export { layoutDigest, type PlannedMember, planZip, planZipInSlices, ZipLayout } from './write/zip-layout.ts';
