/** Signs in at the development provider as a browser does: page by page, with its cookies. Gives the ID token. */
import { createHash, randomBytes } from 'node:crypto';
import {
  DEVELOPMENT_CLIENT,
  DEVELOPMENT_REDIRECT,
} from '../../infra/dev/dist/sign-in/development-provider.js';

const MOST_PAGES = 12;

export async function signInAsDeveloper(issuer: string, name: string): Promise<string> {
  const verifier = randomBytes(32).toString('base64url');
  const browser = new Browser();
  const query = new URLSearchParams({
    client_id: DEVELOPMENT_CLIENT,
    redirect_uri: DEVELOPMENT_REDIRECT,
    response_type: 'code',
    scope: 'openid',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  let page = await browser.open(`${issuer}/auth?${query.toString()}`);
  for (let count = 0; count < MOST_PAGES && page.code === undefined; count++) {
    if (page.next !== undefined) page = await browser.open(page.next);
    else page = await browser.open(page.url, new URLSearchParams({ login: name }));
  }
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: DEVELOPMENT_CLIENT,
      redirect_uri: DEVELOPMENT_REDIRECT,
      code: page.code ?? '',
      code_verifier: verifier,
    }),
  });
  const { id_token: token } = (await response.json()) as { id_token?: string };
  if (token === undefined) throw new Error(`no token: status ${response.status}`);
  return token;
}

interface Page {
  readonly url: string;
  readonly next: string | undefined;
  readonly code: string | undefined;
}

class Browser {
  readonly #cookies = new Map<string, string>();

  async open(url: string, form?: URLSearchParams): Promise<Page> {
    const cookie = [...this.#cookies].map(([key, value]) => `${key}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form !== undefined && { method: 'POST', body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      this.#cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = response.headers.get('location');
    const next = location === null ? undefined : new URL(location, url).href;
    const isBack = next?.startsWith(DEVELOPMENT_REDIRECT) === true;
    const code = isBack ? (new URL(next).searchParams.get('code') ?? '') : undefined;
    await response.text();
    return { url, next, code };
  }
}
