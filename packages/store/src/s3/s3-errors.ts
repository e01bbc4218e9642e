import { FOREIGN_ADVICE, FOREIGN_ANSWER } from '../remote/foreign-answer.ts';
import { StoreFaults } from '../remote/store-faults.ts';

/** What errors of the SDK have, of any class. */
interface S3Error extends Error {
  /** `NoSuchKey`, `SlowDown`, `TimeoutError` … */
  name: string;
  $metadata?: { httpStatusCode?: number; requestId?: string };
}

/** What errors of S3 mean. */
export const S3_FAULTS = new StoreFaults({
  read(error) {
    const { name, $metadata } = error as S3Error;
    return { status: $metadata?.httpStatusCode, code: name };
  },
  placeMissing: 'NoSuchBucket',
  uploadGone: 'NoSuchUpload',
  advice: {
    NoSuchBucket: 'the bucket that OBJECT_STORE names does not exist',
    AccessDenied: 'the keys do not allow it',
    InvalidAccessKeyId: 'the store does not know the access key',
    SignatureDoesNotMatch: 'the secret key is wrong',
    CredentialsProviderError:
      'there are no keys; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role',
    RequestTimeTooSkewed: 'the clock of this machine is wrong',
    PermanentRedirect: 'the bucket lies in another region; set region= in OBJECT_STORE',
    [FOREIGN_ANSWER]: FOREIGN_ADVICE,
    403: 'the keys do not allow it',
  },
});
