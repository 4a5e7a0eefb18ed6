/** The one page of the development provider: whoever gives a name is signed in under it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type Provider from 'oidc-provider';

/** What the provider calls an interaction is one sign-in that waits at this page. */
export const SIGN_IN_PATH = '/sign-in/';
/** Characters. A name is the subject of tokens, and part of somebody's identity for good. */
const MAX_NAME = 64;

export async function answerSignIn(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // rejects where the sign-in is another browser's, or over: nothing more is read of that
  await provider.interactionDetails(request, response);
  const name = request.method === 'POST' ? nameIn(await text(request)) : undefined;
  if (name !== undefined) {
    // nobody is asked whether they agree: their own console alone asks who they are
    await provider.interactionFinished(request, response, {
      login: { accountId: name },
      consent: {},
    });
    return;
  }
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'",
    'x-frame-options': 'DENY',
  });
  response.end(PAGE);
}

function nameIn(form: string): string | undefined {
  const name = new URLSearchParams(form).get('login')?.trim() ?? '';
  return name === '' || name.length > MAX_NAME ? undefined : name;
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in on this machine</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  main { max-width: 26rem; margin: 12vh auto 0; padding: 0 1rem; }
  label, input, button { display: block; font: inherit; width: 100%; box-sizing: border-box; }
  input, button { padding: .6rem .8rem; margin: .25rem 0 1rem; border-radius: 8px; border: 1px solid #7a8496; }
  button { border: 0; background: #1d4ed8; color: #fff; font-weight: 600; cursor: pointer; }
</style>
<main>
  <h1>Sign in on this machine</h1>
  <p>This stands in for your identity provider. It asks for no password: a name says who you are here. Give the same one
    the next time.</p>
  <form method="post">
    <label for="login">Your name</label>
    <input id="login" name="login" value="me" maxlength="${MAX_NAME}" required autocomplete="username">
    <button type="submit">Sign in</button>
  </form>
</main>
</html>
`;
