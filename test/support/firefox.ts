/**
 * The Firefox of the system, led by WebDriver BiDi (https://w3c.github.io/webdriver-bidi), and drawn by Mesa on an X
 * server without a screen. Playwright's own way to it sends a command that Firefox does not know.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

const PROGRAMS = ['/usr/bin/firefox-esr', '/usr/bin/firefox'];
const X_SERVER = '/usr/bin/Xvfb';
/** Pixels of the window, in the layout of a narrow one: software draws all of them. */
const SIZE = { width: 600, height: 480 };
/** How long a page may take on a busy machine, ms. */
const PATIENCE = 90_000;
/** Between two looks, ms. */
const PAUSE = 100;

/** Nothing but the pages of the test: no first steps, no requests to other hosts. */
const PREFERENCES: Record<string, boolean | number | string> = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.getAddons.cache.enabled': false,
  'intl.accept_languages': 'en',
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#none',
  'toolkit.telemetry.enabled': false,
  'ui.prefersReducedMotion': 1,
  'webgl.force-enabled': true,
};

/** Why tests in Firefox are left out; false where they can run. */
export const NO_FIREFOX =
  firefoxPath() === null || !existsSync(X_SERVER) ? 'needs firefox-esr and Xvfb (apt: xvfb)' : false;

function firefoxPath(): string | null {
  return PROGRAMS.find((path) => existsSync(path)) ?? null;
}

interface Message {
  id?: number;
  result?: unknown;
  message?: string;
  method?: string;
  params?: Record<string, unknown>;
}

export class Firefox implements AsyncDisposable {
  /** What went wrong in pages: errors of the console and of scripts, and answers of 400 or more. */
  readonly trouble: string[] = [];
  readonly #processes: readonly ChildProcess[];
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #context = '';

  private constructor(processes: readonly ChildProcess[], socket: WebSocket) {
    this.#processes = processes;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(String(data)) as Message));
  }

  /** Starts it with a profile of its own below `directory`. */
  static async start(directory: string): Promise<Firefox> {
    const profile = join(directory, 'firefox');
    await mkdir(profile);
    const lines = Object.entries(PREFERENCES).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
    );
    await writeFile(join(profile, 'user.js'), lines.join('\n'));
    const screen = `${SIZE.width}x${SIZE.height}x24`;
    const display = spawn(X_SERVER, ['-displayfd', '3', '-screen', '0', screen, '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const [number] = await once(display.stdio[3] as Readable, 'data');
    const size = ['--width', String(SIZE.width), '--height', String(SIZE.height)];
    const browser = spawn(
      firefoxPath()!,
      ['--remote-debugging-port', '0', '--profile', profile, '--no-remote', ...size, 'about:blank'],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: {
          ...process.env,
          DISPLAY: `:${String(number).trim()}`,
          HOME: directory,
          LIBGL_ALWAYS_SOFTWARE: '1',
          LP_NUM_THREADS: '1',
          MOZ_CRASHREPORTER_DISABLE: '1',
        },
      },
    );
    const socket = new WebSocket(`${await addressOf(browser.stderr!)}/session`);
    await once(socket, 'open');
    const firefox = new Firefox([browser, display], socket);
    await firefox.#begin();
    return firefox;
  }

  async #begin(): Promise<void> {
    await this.#send('session.new', { capabilities: {} });
    await this.#send('session.subscribe', { events: ['log.entryAdded', 'network.responseCompleted'] });
    const { contexts } = (await this.#send('browsingContext.getTree', {})) as {
      contexts: Array<{ context: string }>;
    };
    this.#context = contexts[0]!.context;
  }

  async goto(url: string): Promise<void> {
    await this.#send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  /** What an expression is in the page; a promise is waited for. Throws what it throws. */
  async evaluate<T>(expression: string): Promise<T> {
    const answer = (await this.#send('script.evaluate', {
      expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value ?? null))`,
      target: { context: this.#context },
      awaitPromise: true,
    })) as { type: string; result: { value: string }; exceptionDetails?: { text: string } };
    if (answer.type !== 'success') throw new Error(`${expression}: ${answer.exceptionDetails?.text}`);
    return JSON.parse(answer.result.value) as T;
  }

  /** Waits until an expression is true in the page; fails with what the page shows. */
  async until(expression: string): Promise<void> {
    const last = Date.now() + PATIENCE;
    while (!(await this.evaluate<boolean>(`Boolean(${expression})`))) {
      if (Date.now() > last) {
        const text = await this.evaluate<string>('document.body.innerText');
        assert.fail(`${expression} is not true of: ${text.slice(0, 600)}; ${this.trouble.join('; ')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  /** Types text into what has the focus, and ends with Enter. */
  async type(text: string): Promise<void> {
    const keys = [...text, '\uE007'];
    await this.#send('input.performActions', {
      context: this.#context,
      actions: [
        {
          type: 'key',
          id: 'keys',
          actions: keys.flatMap((value) => [
            { type: 'keyDown', value },
            { type: 'keyUp', value },
          ]),
        },
      ],
    });
  }

  #send(method: string, params: object): Promise<unknown> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, message }) =>
        message === undefined ? resolve(result) : reject(new Error(`${method}: ${message}`)),
      );
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
  #last = 0;

  #take(message: Message): void {
    if (message.id !== undefined) {
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
      return;
    }
    const { level, text, response } = (message.params ?? {}) as {
      level?: string;
      text?: string;
      response?: { status: number; url: string };
    };
    if (message.method === 'log.entryAdded' && level === 'error') this.trouble.push(`console: ${text}`);
    if (response !== undefined && response.status >= 400)
      this.trouble.push(`${response.status} ${response.url}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    for (const process of this.#processes) {
      if (process.exitCode !== null) continue;
      process.kill();
      await once(process, 'exit');
    }
  }
}

/** Where the browser says that it listens. */
async function addressOf(stderr: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stderr.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const found = /WebDriver BiDi listening on (ws:\/\/\S{1,60})/.exec(text);
    if (found !== null) {
      stderr.resume();
      return found[1]!;
    }
  }
  throw new Error(`Firefox did not start: ${text.slice(-600)}`);
}
