/** Limits by headers what the console's page may do in a browser. */
import {
  originsOf,
  type IdentityProvider,
} from '@countersign/runtime/tokens/identity-providers.js';

/**
 * Scripts and styles come only from this origin's files: an injected tag, handler or style does nothing, and data
 * cannot become HTML (Trusted Types). The page connects only to this gateway and to the identity providers:
 * https://www.w3.org/TR/CSP3/, https://www.w3.org/TR/trusted-types/.
 */
export function contentSecurityPolicy(providers: readonly IdentityProvider[]): string {
  const reachable = ["'self'", ...new Set(providers.flatMap(originsOf))];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${reachable.join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** Sent with every answer below `/console`, errors too. */
export function consoleHeaders(
  providers: readonly IdentityProvider[],
): Readonly<Record<string, string>> {
  return {
    'content-security-policy': contentSecurityPolicy(providers),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    // for browsers without support for `frame-ancestors`
    'x-frame-options': 'DENY',
    'permissions-policy':
      'publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  };
}
