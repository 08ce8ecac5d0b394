import type { ClientOptions, OpenAI } from 'openai';

/** The longest a timer can wait (24 days): the runtime's idle timer decides, not the SDK's. */
const NO_TIMEOUT = 2 ** 31 - 1;

/** The SDK, loaded by the first request, with nothing of the environment in it. */
export async function sdkClient(
  options: Pick<ClientOptions, 'baseURL' | 'fetch'> & { readonly apiKey: string },
): Promise<OpenAI> {
  const { OpenAI } = await import('openai');
  return new OpenAI({
    // Null, not absent: the SDK would else take these from the environment.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: NO_TIMEOUT,
    logLevel: 'off',
    ...options,
  });
}
