/** The name of the job that reads the inbox, in whichever process it runs. */
export const inboxJob = "inbox monitor"
