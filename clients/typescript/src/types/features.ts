/** What the API says about features. */

export interface FeaturesListItem {
  description: string;
  enabled: boolean;
  name: string;
}

export interface FeaturesList {
  items: FeaturesListItem[];
  next_cursor: string | null;
}

export interface FeatureSetReply {
  enabled: boolean;
  name: string;
}
