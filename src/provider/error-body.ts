import { connectionFailure } from './failures.ts';

const MAX_ERROR_BODY = 64 * 1024;

/** As much of the body as an error needs. A body that breaks off or hangs still leaves the status to go by. */
export async function headOf(body: ReadableStream<Uint8Array> | null, limitMs: number): Promise<string> {
  const reader = body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  const { promise: late, cancel } = deadline(limitMs);
  try {
    while (text.length < MAX_ERROR_BODY) {
      const step = await Promise.race([reader.read(), late]);
      if (step === 'late' || step.done) break;
      text += decoder.decode(step.value, { stream: true });
    }
    await reader.cancel();
  } catch (error) {
    return `${text} (the body broke off: ${connectionFailure(error).message})`;
  } finally {
    cancel();
  }
  return text.slice(0, MAX_ERROR_BODY);
}

function deadline(ms: number): { readonly promise: Promise<'late'>; readonly cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, ms, 'late');
  });
  return { promise, cancel: () => clearTimeout(timer) };
}
