export const ATTACHMENT_LIMITS = {
  count: 20,
  images: 10,
  imageBytes: 5 * 1024 * 1024,
  /** Of all images of one message. They stay in the input, and the API takes 50 MB of them in a request. */
  imagesBytes: 20 * 1024 * 1024,
  /** Of one file; a longer one is cut, and says so. */
  textBytes: 128 * 1024,
  /** Of one line; the rest of a longer one is left out, and that is said there. */
  lineChars: 10_000,
  /** Of all texts of one message. */
  totalBytes: 512 * 1024,
  /** A file that is larger is not read at all. */
  fileBytes: 8 * 1024 * 1024,
  /** Of a name that a presenter gives. */
  labelChars: 300,
} as const;
