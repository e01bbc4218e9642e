/** Azure Blob Storage on this machine: Azurite, in a process of its own that keeps everything in memory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { ContainerClient, StorageSharedKeyCredential } from '@azure/storage-blob';

const PROGRAM = createRequire(import.meta.url).resolve('azurite/dist/src/blob/main.js');
const ACCOUNT = 'testaccount';
const CONTAINER = 'container';

export class Azurite implements AsyncDisposable {
  /** With the account, as the SDK wants it. */
  readonly endpoint: string;
  /** Of this process alone. */
  readonly key: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: string, key: string) {
    this.#child = child;
    this.endpoint = `http://127.0.0.1:${port}/${ACCOUNT}`;
    this.key = key;
  }

  /** Starts it, with an empty container, and sets the keys that stores of this process use. */
  static async start(): Promise<Azurite> {
    const key = randomBytes(64).toString('base64');
    // Telemetry would go over the network. The SDK speaks a version of the interface that Azurite does not know yet.
    const flags = ['--inMemoryPersistence', '--disableTelemetry', '--skipApiVersionCheck', '--silent'];
    const child = spawn(process.execPath, [PROGRAM, ...flags, '--blobPort', '0'], {
      env: { ...process.env, AZURITE_ACCOUNTS: `${ACCOUNT}:${key}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const azurite = new Azurite(child, await portOf(child), key);
      await azurite.client().create();
      Object.assign(process.env, azurite.env);
      return azurite;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** Settings of a program that uses it. */
  get env(): Record<string, string> {
    return { AZURE_STORAGE_KEY: this.key };
  }

  /** The value of OBJECT_STORE for objects below a prefix. */
  address(prefix = ''): string {
    return `az://${CONTAINER}/${prefix}?account=${ACCOUNT}&endpoint=${this.endpoint}`;
  }

  /** A client of the container that is not ours. */
  client(): ContainerClient {
    return new ContainerClient(
      `${this.endpoint}/${CONTAINER}`,
      new StorageSharedKeyCredential(ACCOUNT, this.key),
    );
  }

  /** It takes no bytes and gives none until it is awake again, as a store that is silent. */
  sleep(): void {
    this.#child.kill('SIGSTOP');
  }

  wake(): void {
    this.#child.kill('SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

async function portOf(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  for await (const line of lines) {
    const port = /successfully listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port === undefined) continue;
    child.stdout!.resume();
    return port;
  }
  throw new Error('Azurite has ended before it listened.');
}
