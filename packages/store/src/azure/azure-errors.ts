import { FOREIGN_ADVICE, FOREIGN_ANSWER } from '../remote/foreign-answer.ts';
import { StoreFaults } from '../remote/store-faults.ts';

/** What errors of the SDK have, of any class. */
interface AzureError extends Error {
  /** `BlobNotFound`, `ServerBusy`, or the system's: `ECONNREFUSED` … */
  code?: string;
  statusCode?: number;
  /** Answers to HEAD have no text; the word is a header then. */
  response?: { headers?: { get(name: string): string | undefined } };
}

/**
 * What errors of Azure Blob Storage mean
 * (https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes).
 */
export const AZURE_FAULTS = new StoreFaults({
  read(error) {
    const { name, code, statusCode, response } = error as AzureError;
    return {
      status: statusCode,
      code: response?.headers?.get('x-ms-error-code') ?? code ?? name,
    };
  },
  placeMissing: 'ContainerNotFound',
  exists: 'BlobAlreadyExists',
  uploadGone: 'InvalidBlockList',
  advice: {
    ContainerNotFound: 'the container that OBJECT_STORE names does not exist',
    ContainerBeingDeleted: 'the container that OBJECT_STORE names is being deleted',
    AuthenticationFailed:
      'the key or the SAS token is wrong or has ended, or the clock of this machine is wrong',
    AuthorizationFailure: 'the keys do not allow it, or a firewall does not',
    AccountIsDisabled: 'the account is disabled',
    ENOTFOUND: 'there is no such account or endpoint',
    [FOREIGN_ANSWER]: FOREIGN_ADVICE,
    403: 'the keys do not allow it',
  },
});
