import ENDPOINTS from './websocket-endpoints.json' with { type: 'json' };

export type TransportSetting = 'auto' | 'sse' | 'websocket';

/** Asking a server to change protocols that may not know how is a guess, and some hang on it: `auto` does not guess. */
export function wantsSocket(setting: TransportSetting, url: string): boolean {
  switch (setting) {
    case 'sse':
      return false;
    case 'websocket':
      return true;
    case 'auto':
      return ENDPOINTS.includes(new URL(url).origin);
  }
}
