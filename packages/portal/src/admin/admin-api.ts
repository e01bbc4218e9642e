/** Requests of the operator, with the token that this tab of the browser keeps until it is closed. */
import { config } from '../core/config.ts';

const TOKEN = 'citymodel-admin-token';

export function tokenNow(): string | null {
  return sessionStorage.getItem(TOKEN);
}

/** Keeps the token; null forgets it. */
export function keepToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(TOKEN);
  else sessionStorage.setItem(TOKEN, token);
}

export function authorization(): Record<string, string> {
  return { authorization: `Bearer ${tokenNow() ?? ''}` };
}

/** An answer other than success. Status 0: there was none. */
export class AdminFailure extends Error {
  readonly status: number;
  constructor(status: number, reason: string) {
    super(reason);
    this.name = 'AdminFailure';
    this.status = status;
  }
}

/** The JSON of an answer, null for an empty one. Throws AdminFailure. */
export async function admin<T>(path: string, method: 'GET' | 'POST' | 'DELETE' = 'GET'): Promise<T> {
  // Only the tus protocol asks for this header; others ignore it.
  const headers = { ...authorization(), 'tus-resumable': '1.0.0' };
  const response = await fetch(config.base + path, { method, headers }).catch((error: unknown) => {
    throw new AdminFailure(0, String(error));
  });
  const text = await response.text();
  let value: { reason?: string; error?: string } | null = null;
  try {
    value = text === '' ? null : JSON.parse(text);
  } catch {
    // A proxy's own page: the status tells.
  }
  if (response.ok) return value as T;
  throw new AdminFailure(response.status, value?.reason ?? value?.error ?? response.statusText);
}
