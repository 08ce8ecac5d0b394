/** Something in the words of a link that looks like an address: with a scheme, or a host with what follows it. */
const ADDRESS =
  /(?:https?:\/\/|www\.)[^\s/?#]+|^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}(?=$|[/:?#])/giu;

/** Pure: where a link really leads, when its words look like another address; null when they do not. */
export function realHost(href: string, words: string): string | null {
  const url = URL.parse(href);
  if (url === null) return null;
  const real = url.host === '' ? url.pathname : url.host;
  const named = (words.trim().match(ADDRESS) ?? []).map(hostOf);
  if (named.every((host) => host === hostOf(real))) return null;
  // The name of a file that is at the end of the address is no other host.
  return url.pathname.endsWith(`/${words.trim()}`) ? null : real;
}

function hostOf(address: string): string {
  const withScheme = /^https?:\/\//i.test(address) ? address : `https://${address}`;
  return (URL.parse(withScheme)?.host ?? address).toLowerCase().replace(/^www\./, '');
}
