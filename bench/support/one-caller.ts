import { Agent, get } from 'node:http';

/**
 * One caller that asks one thing after the other over one connection, and takes the bytes as they come: what is
 * measured is the server, not the inflating and reading of its answers.
 */
export class OneCaller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** Milliseconds until the last byte of the answer, and its bytes as sent. Throws for another status than 200. */
  ask(url: string, headers: Record<string, string> = {}): Promise<{ ms: number; bytes: number }> {
    const start = performance.now();
    return new Promise((resolve, reject) => {
      const request = get(url, { agent: this.#agent, headers }, (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.once('error', reject);
        response.once('end', () => {
          if (response.statusCode === 200) resolve({ ms: performance.now() - start, bytes });
          else reject(new Error(`${url} answered ${response.statusCode}`));
        });
      });
      request.once('error', reject);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
