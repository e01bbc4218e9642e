/** Pipes whose reader has gone, as after `citymodel list | head`. */

/**
 * Drops what is written to the streams once nobody reads it. The command goes on to its end: a caller who looks at the
 * first lines of an ingestion has not asked to stop it.
 */
export function dropUnread(...streams: NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
