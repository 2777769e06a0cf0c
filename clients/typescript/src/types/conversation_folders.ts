/** What the API says about conversation folders. */

export interface ConversationFolder {
  created_at: string;
  id: string;
  name: string;
}

export interface ConversationFolderPage {
  items: ConversationFolder[];
  next_cursor: string | null;
}
