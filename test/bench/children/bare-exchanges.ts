import http from 'node:http';

/** The requests of sessions as they were sent, each session's one after the other, so many sessions at once. */
export async function bareExchanges(
  url: string,
  sessions: readonly (readonly string[])[],
  atOnce: number,
): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: atOnce });
  const left = sessions.values();
  const lanes = Array.from({ length: Math.min(atOnce, sessions.length) }, async () => {
    for (const bodies of left) for (const body of bodies) await exchange(url, body, agent);
  });
  await Promise.all(lanes);
  agent.destroy();
}

/** One request and its whole answer, which nobody looks at. */
export function exchange(url: string, body: string, agent: http.Agent): Promise<void> {
  const headers = { authorization: 'Bearer sk-bench', 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const outgoing = http.request(`${url}/responses`, { method: 'POST', headers, agent }, (incoming) => {
      incoming.on('end', resolve);
      incoming.on('error', reject);
      incoming.resume();
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
