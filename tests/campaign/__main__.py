from tests.campaign.campaign import main

if __name__ == "__main__":  # the processes of a campaign load this module again
    main()
