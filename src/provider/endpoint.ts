/** Where requests go, split into what may be shown and logged and what only the request needs. */
export type Endpoint =
  | {
      readonly kind: 'valid';
      /** Normalised, without credentials, query and fragment: safe to log and to compare. */
      readonly name: string;
      /** The URL the client is given: the name, and the query where there is one (`?api-version=...`). */
      readonly url: string;
    }
  | { readonly kind: 'invalid'; readonly name: string; readonly message: string };

const INVALID_NAME = 'invalid base URL';

export function endpointOf(baseUrl: string): Endpoint {
  const trimmed = baseUrl.trim();
  if (!URL.canParse(trimmed)) {
    return { kind: 'invalid', name: INVALID_NAME, message: 'The base URL is not a valid URL.' };
  }
  const url = new URL(trimmed);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    const message = `The base URL must start with https:// or http://, not ${url.protocol}`;
    return { kind: 'invalid', name: INVALID_NAME, message };
  }
  const name = `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/u, '')}`;
  return { kind: 'valid', name, url: name + url.search };
}

/** Values of the query that may be one. What is shorter is a version, and found in ordinary words. */
const MIN_SECRET = 8;

/** Some gateways take their key there, and quote the URL when they refuse. */
export function secretsIn(endpoint: Endpoint): readonly string[] {
  if (endpoint.kind === 'invalid') return [];
  return [...new URL(endpoint.url).searchParams.values()].filter((value) => value.length >= MIN_SECRET);
}
